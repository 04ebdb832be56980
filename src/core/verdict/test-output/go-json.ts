import { addError, addFailure, countTest, createDraft, type Draft } from './draft.ts';
import { outsideOfTests } from './go-test.ts';
import type { Reader, Runner } from './runner.ts';
import type { TestStatus } from './test-run.ts';

/** `go test -json`: one event in a line, packages interleaved. */
export const goJson: Runner = { name: 'go test', starts: '{', read };

type Package = {
  /** Tests that started and have not ended, with what they printed. */
  readonly running: Map<string, string[]>;
  printed: string[];
  failed: number;
  hasEnded: boolean;
};

type Event = {
  readonly action: string;
  readonly pkg: string;
  readonly test: string | null;
  readonly elapsedMs: number | null;
  readonly output: string;
  readonly isBuildFailure: boolean;
};

type State = { draft: Draft | null; readonly packages: Map<string, Package> };

const maxPackages = 10_000;

function read(): Reader {
  const state: State = { draft: null, packages: new Map() };
  return {
    line: (text, number) => {
      if (text.charCodeAt(0) !== 0x7b || !text.includes('"Action":"')) return;
      const event = readEvent(text);
      if (event !== null) take(state, event, number);
    },
    isIdle: () => true,
    end: (lastLine) => {
      if (state.draft === null) return [];
      // An event that breaks off.
      if (lastLine.startsWith('{') && !lastLine.endsWith('}')) state.draft.incomplete = true;
      return [finish(state, state.draft)];
    },
  };
}

/** Only what stands before the printed text is looked at: a long line is cut behind it. */
function readEvent(text: string): Event | null {
  const at = text.indexOf(',"Output":"');
  const head = at === -1 ? text : text.slice(0, at);
  const action = fieldOf(head, 'Action');
  const pkg = fieldOf(head, 'Package') ?? fieldOf(head, 'ImportPath')?.replace(/ \[.*\]$/, '');
  if (action === undefined || pkg === undefined) return null;
  const elapsed = /"Elapsed":(\d+(?:\.\d+)?)/.exec(head)?.[1];
  return {
    action,
    pkg,
    test: fieldOf(head, 'Test') ?? null,
    elapsedMs: elapsed === undefined ? null : Math.round(Number(elapsed) * 1000),
    output: at === -1 ? '' : outputOf(text.slice(at + ',"Output":'.length)),
    isBuildFailure: head.includes('"FailedBuild":"') || action === 'build-fail',
  };
}

function fieldOf(head: string, key: string): string | undefined {
  const start = head.indexOf(`"${key}":"`);
  if (start === -1) return undefined;
  const from = start + key.length + 4;
  const end = endOfString(head, from);
  return end === -1 ? undefined : unescape(head.slice(from, end));
}

/** The text of a JSON string, cut or not. */
function outputOf(text: string): string {
  const end = endOfString(text, 1);
  return unescape(text.slice(1, end === -1 ? text.length : end)).trimEnd();
}

function endOfString(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i;
  }
  return -1;
}

function unescape(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(/\\(u[0-9a-fA-F]{4}|.)/g, (_whole, code: string) => {
    if (code.length > 1) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }[code] ?? code;
  });
}

function take(state: State, event: Event, number: number): void {
  const draft = (state.draft ??= createDraft('go test', number));
  draft.anchored = true;
  draft.last = number;
  const known = state.packages.get(event.pkg);
  if (known === undefined && state.packages.size >= maxPackages) {
    draft.incomplete = true;
    return;
  }
  const pkg = known ?? { running: new Map(), printed: [], failed: 0, hasEnded: false };
  if (known === undefined) state.packages.set(event.pkg, pkg);
  if (event.action.startsWith('build')) return takeBuild(draft, pkg, event);
  if (event.test === null) takePackage(draft, pkg, event);
  else takeTest(draft, pkg, event, event.test);
}

/** A package that cannot be built may have no further events. */
function takeBuild(draft: Draft, pkg: Package, event: Event): void {
  if (event.action === 'build-output' && pkg.printed.length < 30) pkg.printed.push(event.output);
  if (event.action !== 'build-fail') return;
  addError(draft, `${event.pkg}: ${pkg.printed.join('\n') || 'build failed'}`);
  pkg.hasEnded = true;
}

const statuses: Readonly<Record<string, TestStatus>> = {
  pass: 'passed',
  fail: 'failed',
  skip: 'skipped',
};

function takeTest(draft: Draft, pkg: Package, event: Event, test: string): void {
  const status = statuses[event.action];
  if (event.action === 'run') {
    // A package that runs again, as with -count, starts anew.
    pkg.hasEnded = false;
    if (pkg.running.size < 10_000) pkg.running.set(test, []);
  } else if (event.action === 'output') {
    const lines = pkg.running.get(test);
    const isFrame = /^(?:=== |\s*--- )/.test(event.output);
    if (lines !== undefined && !isFrame && lines.length < 30) lines.push(event.output.trim());
    // Old releases lose the result of a test that prints without a line break.
    const result = isFrame
      ? null
      : /--- (PASS|FAIL|SKIP): (\S.*) \(\d+\.\d+s\)$/.exec(event.output);
    if (lines !== undefined && result?.[2] === test)
      takeTest(draft, pkg, { ...event, action: (result[1] ?? '').toLowerCase() }, test);
  } else if (status !== undefined) {
    const lines = pkg.running.get(test) ?? [];
    pkg.running.delete(test);
    countTest(draft, test, status, event.elapsedMs);
    if (status !== 'failed') return;
    pkg.failed++;
    addFailure(draft, test, lines.join('\n'));
  }
}

function takePackage(draft: Draft, pkg: Package, event: Event): void {
  if (event.action === 'output' && pkg.printed.length < 30) pkg.printed.push(event.output);
  if (event.action === 'start') pkg.hasEnded = false;
  if (statuses[event.action] === undefined) return;
  pkg.hasEnded = true;
  if (event.action !== 'fail') {
    if (pkg.running.size > 0) draft.incomplete = true;
    return;
  }
  // A panic or an exit fails what was running.
  for (const [test, lines] of pkg.running) {
    countTest(draft, test, 'failed');
    addFailure(draft, test, lines.join('\n'));
    pkg.failed++;
  }
  pkg.running.clear();
  const printed = pkg.printed.join('\n');
  if (event.isBuildFailure || /\[(?:build|setup) failed\]/.test(printed))
    addError(draft, `${event.pkg}: build failed`);
  else if (pkg.failed === 0)
    addError(draft, `${event.pkg}: ${printed.trim() === '' ? outsideOfTests : printed}`);
}

function finish({ packages }: State, draft: Draft): Draft {
  for (const { hasEnded, running } of packages.values()) {
    if (!hasEnded || running.size > 0) draft.incomplete = true;
  }
  return draft;
}
