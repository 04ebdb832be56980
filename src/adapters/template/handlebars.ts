import Handlebars from 'handlebars';
import { isLoopwrightError, LoopwrightError } from '../../core/error.ts';
import type { TemplateOptions, Templates } from '../../core/prompt/templates.ts';
import { helperArity, valueHelpers } from './helper-set.ts';
import { scanTemplate, unknownVariable, type VariableUse } from './scan.ts';

/**
 * Handlebars with a small helper set: no prototype access, no escaping (prompts are not HTML), no indentation
 * of partials (it would change values), no console, no decorators.
 */
export function createTemplates(): Templates {
  const engine = Handlebars.create();
  engine.unregisterHelper('log');
  engine.unregisterDecorator('inline');
  engine.registerHelper({ ...valueHelpers });
  const prepared = new Map<string, Prepared>();

  /** Every iteration of a loop renders the same template: it is parsed and compiled once. */
  function prepare(template: string, source: string): Prepared {
    const known = prepared.get(template);
    if (known !== undefined) return known;
    // Compiling changes the tree it is given, so it makes one of its own.
    const program = parse(template, source);
    const entry = { program, compiled: engine.compile(template, compileOptions) };
    if (prepared.size >= mostPrepared) prepared.clear();
    prepared.set(template, entry);
    return entry;
  }

  return {
    render(template, context, options = {}) {
      const source = options.source ?? 'template';
      const { program, compiled } = prepare(template, source);
      const known = Object.keys(context);
      scan(program, options, (use) => {
        if (!Object.hasOwn(context, use.name)) throw unknownVariable(use.name, use.location, known);
      });
      return {
        text: run(() => compiled(withoutFunctions(context), runtimeOptions(options)), source),
      };
    },
    printedVariables(template, options = {}) {
      const printed = new Set<string>();
      scan(prepare(template, options.source ?? 'template').program, options, (use) => {
        if (use.printed) printed.add(use.name);
      });
      return printed;
    },
  };
}

type Prepared = {
  readonly program: hbs.AST.Program;
  readonly compiled: Handlebars.TemplateDelegate;
};

const mostPrepared = 32;

const compileOptions = {
  strict: true,
  noEscape: true,
  preventIndent: true,
  knownHelpersOnly: true,
  knownHelpers: Object.fromEntries(
    ['if', 'unless', 'each', 'with', ...Object.keys(helperArity)].map((name) => [name, true]),
  ),
};

function runtimeOptions({ partials = {} }: TemplateOptions) {
  return {
    partials: { ...partials },
    allowProtoPropertiesByDefault: false,
    allowProtoMethodsByDefault: false,
  };
}

function scan(
  program: hbs.AST.Program,
  { partials = {}, source = 'template' }: TemplateOptions,
  onVariable: (use: VariableUse) => void,
): void {
  const parsed = new Map<string, hbs.AST.Program>();
  const partial = (name: string) => {
    const text = Object.hasOwn(partials, name) ? partials[name] : undefined;
    if (text === undefined) return null;
    const result = parsed.get(name) ?? parse(text, `partial ${name}`);
    parsed.set(name, result);
    return result;
  };
  scanTemplate(program, { partial, partialNames: Object.keys(partials), onVariable, source });
}

function parse(template: string, source: string): hbs.AST.Program {
  try {
    return Handlebars.parse(template);
  } catch (cause) {
    throw new LoopwrightError('prompt.syntax', `${source}: ${messageOf(cause)}`, {
      cause,
      hint: 'Correct the template; the syntax is that of Handlebars.',
    });
  }
}

/** What the scan cannot see: names inside items whose shape only the values tell. */
function run(render: () => string, source: string): string {
  try {
    return render();
  } catch (cause) {
    if (isLoopwrightError(cause)) throw cause;
    const missing = /^"([^"]{0,200})" not defined in/.exec(messageOf(cause))?.[1];
    if (missing === undefined) {
      throw new LoopwrightError('prompt.render', `${source}: ${messageOf(cause)}`, { cause });
    }
    throw new LoopwrightError(
      'prompt.unknown_variable',
      `Unknown variable "${missing}" (${source}).`,
      {
        cause,
        hint: 'Inside each and with, names belong to the item; use ../name for a variable of the prompt.',
        details: { name: missing },
      },
    );
  }
}

const maxValueDepth = 32;

/** Handlebars calls functions it finds among the values; data has none, and a copy without them makes sure. */
function withoutFunctions(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxValueDepth) return null;
  if (Array.isArray(value)) {
    return value.filter(isData).map((each) => withoutFunctions(each, depth + 1));
  }
  const entries = Object.entries(value).filter(([, each]) => isData(each));
  return Object.fromEntries(entries.map(([key, each]) => [key, withoutFunctions(each, depth + 1)]));
}

function isData(value: unknown): boolean {
  return typeof value !== 'function';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
