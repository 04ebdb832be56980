import { LoopwrightError } from '../../core/error.ts';
import { nearest } from '../../core/text/nearest.ts';
import { helperArity } from './helper-set.ts';

export type Scan = {
  /** Parses a partial by name; null when there is none. */
  readonly partial: (name: string) => hbs.AST.Program | null;
  readonly partialNames: readonly string[];
  /** Told every variable of the outermost context that the template refers to. */
  readonly onVariable: (use: VariableUse) => void;
  readonly source: string;
};

export type VariableUse = {
  readonly name: string;
  readonly printed: boolean;
  readonly location: string;
};

const maxPartialDepth = 5;
const maxPartials = 1000;
const loopData = new Set(['index', 'key', 'first', 'last']);

/** Names resolve here: in the outermost context, or in an item whose shape nobody knows before rendering. */
type Scope =
  | { readonly kind: 'root'; readonly extra: ReadonlySet<string> }
  | { readonly kind: 'item' };

type Place = {
  readonly scan: Scan;
  readonly scopes: readonly Scope[];
  readonly blockParams: ReadonlySet<string>;
  readonly partials: readonly string[];
  readonly budget: { partials: number };
};

/** Walks the whole template, branches that are never taken and partials included. Throws on what is not supported. */
export function scanTemplate(program: hbs.AST.Program, scan: Scan): void {
  walk(program, {
    scan,
    scopes: [{ kind: 'root', extra: new Set() }],
    blockParams: new Set(),
    partials: [],
    budget: { partials: maxPartials },
  });
}

function walk(program: hbs.AST.Program | undefined, place: Place): void {
  if (program === undefined) return;
  const names = program.blockParams ?? [];
  const inner = { ...place, blockParams: new Set([...place.blockParams, ...names]) };
  for (const statement of program.body) walkStatement(statement, inner);
}

function walkStatement(node: hbs.AST.Statement, place: Place): void {
  if (isContent(node) || isComment(node)) return;
  if (isMustache(node)) walkCall(node, place);
  else if (isBlock(node)) walkBlock(node, place);
  else if (isPartial(node)) walkPartial(node, place);
  else throw problem('prompt.unsupported', `${node.type} is not supported`, node, place);
}

/** The library's node types are told apart by name only; these make it known to the compiler. */
function ofType<T extends hbs.AST.Node>(type: T['type']) {
  return (node: hbs.AST.Node): node is T => node.type === type;
}

const isContent = ofType<hbs.AST.ContentStatement>('ContentStatement');
const isComment = ofType<hbs.AST.CommentStatement>('CommentStatement');
const isMustache = ofType<hbs.AST.MustacheStatement>('MustacheStatement');
const isBlock = ofType<hbs.AST.BlockStatement>('BlockStatement');
const isPartial = ofType<hbs.AST.PartialStatement>('PartialStatement');
const isSubExpression = ofType<hbs.AST.SubExpression>('SubExpression');
const isPath = ofType<hbs.AST.PathExpression>('PathExpression');

/** A path or literal as it is written. */
function written(node: hbs.AST.Node): string {
  return 'original' in node ? String(node.original) : node.type;
}

type Call = hbs.AST.MustacheStatement | hbs.AST.SubExpression;

function walkCall(node: Call, place: Place): void {
  const name = helperName(node.path, place);
  if (name === null && !hasArguments(node)) {
    refer(node.path, true, place);
    return;
  }
  if (name === null || helperArity[name] === undefined) throw unknownHelper(node, place);
  if (node.params.length < helperArity[name]) {
    const text = `Helper "${name}" needs ${helperArity[name]} arguments, got ${node.params.length}`;
    throw problem('prompt.helper_arguments', text, node, place);
  }
  walkArguments(node, true, place);
}

function walkBlock(node: hbs.AST.BlockStatement, place: Place): void {
  const name = helperName(node.path, place);
  if (name === 'if' || name === 'unless') {
    walkArguments(node, false, place);
    walk(node.program, place);
  } else if (name === 'each' || name === 'with') {
    walkArguments(node, true, place);
    walk(node.program, enter(place, { kind: 'item' }));
  } else if (name === null && !hasArguments(node)) {
    refer(node.path, true, place);
    walk(node.program, enter(place, { kind: 'item' }));
  } else {
    throw unknownHelper(node, place);
  }
  walk(node.inverse, place);
}

function walkPartial(node: hbs.AST.PartialStatement, place: Place): void {
  if (isSubExpression(node.name)) {
    throw problem('prompt.unsupported', 'A computed partial name is not supported', node, place);
  }
  walkArguments(node, true, place);
  const name = written(node.name);
  const program = place.scan.partial(name);
  if (program === null) throw unknownPartial(name, node, place);
  const partials = [...place.partials, name];
  if (place.partials.includes(name)) {
    const text = `Partials include each other in a cycle: ${partials.slice(partials.indexOf(name)).join(' > ')}`;
    throw problem('prompt.partial_cycle', text, node, place);
  }
  place.budget.partials -= 1;
  if (partials.length > maxPartialDepth || place.budget.partials < 0) {
    const text = `Partials are nested deeper than ${maxPartialDepth}: ${partials.join(' > ')}`;
    throw problem('prompt.partial_depth', text, node, place);
  }
  walk(program, { ...place, scopes: partialScopes(node, place), blockParams: new Set(), partials });
}

/** A partial sees the context of its caller, or the one it is given, plus its named arguments. */
function partialScopes(node: hbs.AST.PartialStatement, place: Place): readonly Scope[] {
  const outer = place.scopes.at(-1);
  const given = new Set((node.hash?.pairs ?? []).map((pair) => pair.key));
  const inner: Scope =
    node.params.length > 0 || outer?.kind !== 'root'
      ? { kind: 'item' }
      : { kind: 'root', extra: outer.extra.union(given) };
  return [...place.scopes.slice(0, -1), inner];
}

function walkArguments(
  node: { readonly params: hbs.AST.Expression[]; readonly hash?: hbs.AST.Hash },
  printed: boolean,
  place: Place,
): void {
  const values = [...node.params, ...(node.hash?.pairs ?? []).map((pair) => pair.value)];
  for (const value of values) {
    if (isSubExpression(value)) walkSubExpression(value, printed, place);
    else if (isPath(value)) refer(value, printed, place);
  }
}

function walkSubExpression(node: hbs.AST.SubExpression, printed: boolean, place: Place): void {
  if (printed) {
    walkCall(node, place);
    return;
  }
  const quiet = { ...place.scan, onVariable: muted(place.scan.onVariable) };
  walkCall(node, { ...place, scan: quiet });
}

/** A variable inside a condition decides; it is not printed, however deep it stands. */
function muted(onVariable: Scan['onVariable']): Scan['onVariable'] {
  return (use) => onVariable({ ...use, printed: false });
}

function refer(path: hbs.AST.Expression, printed: boolean, place: Place): void {
  if (!isPath(path)) {
    // A literal in the place of a name, as in {{"task-id"}}, is looked up as a name.
    reportVariable(written(path), path, printed, place);
    return;
  }
  const [first] = path.parts;
  if (path.data) {
    if (first === 'root' && path.parts[1] !== undefined) {
      reportVariable(path.parts[1], path, printed, { ...place, scopes: place.scopes.slice(0, 1) });
    } else if (first === undefined || !loopData.has(first)) {
      throw problem('prompt.unknown_variable', `Unknown variable "${path.original}"`, path, place);
    }
    return;
  }
  if (path.depth === 0 && first !== undefined && place.blockParams.has(first)) return;
  const scope = place.scopes[place.scopes.length - 1 - path.depth];
  if (scope?.kind === 'item') return;
  reportVariable(first ?? path.original, path, printed, place);
}

function reportVariable(name: string, node: hbs.AST.Node, printed: boolean, place: Place): void {
  const extra = place.scopes.some((scope) => scope.kind === 'root' && scope.extra.has(name));
  if (!extra) place.scan.onVariable({ name, printed, location: locate(node, place) });
}

/** The name of the helper that a path calls; null when it is a variable. */
function helperName(path: hbs.AST.Expression, place: Place): string | null {
  if (!isPath(path)) return null;
  const { data, depth, parts, original } = path;
  const [name] = parts;
  if (data || depth > 0 || parts.length !== 1 || name === undefined || name !== original)
    return null;
  if (place.blockParams.has(name)) return null;
  return Object.hasOwn(helperArity, name) || blockHelpers.has(name) ? name : null;
}

/** Handlebars' own. */
export const blockHelpers: ReadonlySet<string> = new Set(['if', 'unless', 'each', 'with']);

function hasArguments(node: Call | hbs.AST.BlockStatement): boolean {
  return node.params.length > 0 || (node.hash?.pairs.length ?? 0) > 0;
}

function enter(place: Place, scope: Scope): Place {
  return { ...place, scopes: [...place.scopes, scope] };
}

function unknownHelper(node: Call | hbs.AST.BlockStatement, place: Place): LoopwrightError {
  const name = written(node.path);
  const known = node.type === 'BlockStatement' ? [...blockHelpers] : Object.keys(helperArity);
  const form = node.type === 'BlockStatement' ? 'block helper' : 'helper';
  return problem('prompt.unknown_helper', `Unknown ${form} "${name}"`, node, place, {
    hint: suggestion(name, known),
  });
}

function unknownPartial(name: string, node: hbs.AST.Node, place: Place): LoopwrightError {
  return problem('prompt.unknown_partial', `Unknown partial "${name}"`, node, place, {
    hint: suggestion(name, place.scan.partialNames),
  });
}

/** `location` is a source and a line. */
export function unknownVariable(
  name: string,
  location: string,
  known: readonly string[],
): LoopwrightError {
  const hint = suggestion(name, known);
  return new LoopwrightError(
    'prompt.unknown_variable',
    `Unknown variable "${name}" (${location}). ${hint}`,
    { hint, details: { name } },
  );
}

export function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  if (near !== null) return `Did you mean "${near}"?`;
  return known.length === 0 ? 'There are none.' : `Known: ${known.join(', ')}.`;
}

function problem(
  code: string,
  text: string,
  node: hbs.AST.Node,
  place: Place,
  options: { readonly hint?: string } = {},
): LoopwrightError {
  return new LoopwrightError(code, `${text} (${locate(node, place)}).`, options);
}

function locate(node: hbs.AST.Node, place: Place): string {
  const where = place.partials.at(-1);
  const source = where === undefined ? place.scan.source : `partial ${where}`;
  return `${source}, line ${node.loc.start.line}`;
}
