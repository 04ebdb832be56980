import type { MissingPart } from '../../core/verdict/setup-fault.ts';
import type { Choice } from './choice.ts';

/** A line of `workspace` that may make the check run. */
export type Remedy = {
  readonly key: 'link' | 'copy' | 'setup';
  readonly value: string;
};

export type Advice = {
  /** Null when nothing can be added that would help. */
  readonly remedy: Remedy | null;
  /** What to do, for people. */
  readonly text: string;
};

/** What is known of the user's checkout, and is not in a fresh worktree. */
export type Checkout = {
  /** Paths that git ignores; folders with a slash behind them. */
  readonly ignored: readonly string[];
  /** Paths that git neither tracks nor ignores; folders with a slash behind them. */
  readonly untracked: readonly string[];
  /** Installs the packages that the manifest of the project declares; null: none known. */
  readonly install: string | null;
  has(file: string): boolean;
};

const notThere = ['not found', 'No such file', 'Cannot find', 'annot open', 'ENOENT', 'not exist'];
const maxLines = 400;
const maxLineChars = 1000;

/**
 * A file that a failing check says is not there, and that is in the checkout but not in git. Whether the check could run is
 * not certain then: such a file may well be the reason.
 */
export function lackOf(
  output: string,
  checkout: Checkout,
): { readonly line: string; readonly missing: MissingPart } | null {
  for (const whole of output.split('\n', maxLines)) {
    const line = whole.slice(0, maxLineChars).trim();
    if (!notThere.some((words) => line.includes(words))) continue;
    for (const [word] of line.matchAll(/[\w@.+/-]{2,300}/g)) {
      const name = withoutWorktree(word).replace(/^(?:\.\/)+/, '');
      const entry = coveredBy(name, [...checkout.ignored, ...checkout.untracked]);
      if (entry !== null && checkout.has(name)) return { line, missing: { kind: 'file', name } };
    }
  }
  return null;
}

const linkedFolders = new Set(['node_modules', '.venv', 'venv', 'vendor', 'Pods', 'deps']);
const programFolders = ['node_modules/.bin', 'vendor/bin', '.venv/bin', 'venv/bin'];

/** What to add so that the check finds what it could not run without. */
export function adviseOn(
  missing: MissingPart | null,
  choice: Pick<Choice, 'link' | 'copy' | 'setup'>,
  checkout: Checkout,
): Advice {
  if (missing === null) return { remedy: null, text: general };
  const name = withoutWorktree(missing.name);
  if (missing.kind === 'module') return adviseOnModule(name, choice, checkout);
  if (missing.kind === 'file' || name.includes('/')) return adviseOnFile(name, choice, checkout);
  const folder = programFolders.find((each) => checkout.has(`${each}/${name}`));
  if (folder !== undefined) {
    const brought = adviseOnFile(`${folder}/${name}`, choice, checkout);
    // Package managers put their own folder of programs on PATH; a virtual environment has to be named.
    if (!folder.includes('venv')) return brought;
    const top = folder.split('/', 1)[0] ?? folder;
    return {
      remedy: null,
      text: `name it in the check as \`${folder}/${name}\`, with \`workspace: { link: [${top}] }\``,
    };
  }
  if (checkout.install !== null && choice.setup === null && !checkout.has('node_modules')) {
    return asSetup(checkout.install);
  }
  return {
    remedy: null,
    text: `install ${name}, or let \`workspace.setup\` do so; or correct the check`,
  };
}

const general =
  'bring what it needs into the worktree with `workspace.link`, `workspace.copy` or `workspace.setup`';

function adviseOnModule(name: string, choice: Bringing, checkout: Checkout): Advice {
  const isLinkable = checkout.has(`node_modules/${name}`) && !isBrought('node_modules', choice);
  if (isLinkable) return adviseOnFile('node_modules', choice, checkout);
  if (checkout.install !== null && choice.setup === null) return asSetup(checkout.install);
  return {
    remedy: null,
    text: `let \`workspace.setup\` install ${name}, or link the folder it is installed in with \`workspace.link\``,
  };
}

type Bringing = Pick<Choice, 'link' | 'copy' | 'setup'>;

function adviseOnFile(file: string, choice: Bringing, checkout: Checkout): Advice {
  const path = file.replace(/^(?:\.\/)+/, '');
  const entry = coveredBy(path, checkout.ignored);
  if (entry !== null && !isBrought(entry, choice)) {
    const isFolder = linkedFolders.has(entry.split('/').at(-1) ?? '');
    const remedy: Remedy = { key: isFolder ? 'link' : 'copy', value: entry };
    return { remedy, text: `add \`${remedyLine(remedy)}\`: git ignores it, and it is there` };
  }
  if (coveredBy(path, checkout.untracked) !== null) {
    return { remedy: null, text: `commit ${path}: it is in your checkout and not in git` };
  }
  if (path === 'node_modules' && checkout.install !== null && choice.setup === null) {
    return asSetup(checkout.install);
  }
  const isChanged = checkout.has(path);
  return {
    remedy: null,
    text: isChanged
      ? `commit ${path} as it is in your checkout`
      : `${path} is not in your checkout either: let \`workspace.setup\` make it, or correct the check`,
  };
}

function asSetup(command: string): Advice {
  const remedy: Remedy = { key: 'setup', value: command };
  return {
    remedy,
    text: `add \`${remedyLine(remedy)}\`: the packages are not installed here`,
  };
}

/** As it is written into the file. */
export function remedyLine({ key, value }: Remedy): string {
  return key === 'setup' ? `workspace: { setup: ${value} }` : `workspace: { ${key}: [${value}] }`;
}

export function withRemedy(choice: Choice, { key, value }: Remedy): Choice {
  return key === 'setup'
    ? { ...choice, setup: value }
    : { ...choice, [key]: [...choice[key], value] };
}

/** The ignored or untracked entry that holds the file, without a slash behind it. */
function coveredBy(file: string, entries: readonly string[]): string | null {
  const found = entries.find((entry) => entry === file || `${file}/`.startsWith(asFolder(entry)));
  return found?.replace(/\/$/, '') ?? null;
}

function asFolder(entry: string): string {
  return entry.endsWith('/') ? entry : `${entry}/`;
}

function isBrought(entry: string, { link, copy }: Bringing): boolean {
  return [...link, ...copy].some((each) => `${entry}/`.startsWith(asFolder(each)));
}

/** Programs name files by their whole path, which begins with the worktree that was tried. */
function withoutWorktree(name: string): string {
  const at = name.search(/\/loop-[0-9a-z]+-trial\//);
  if (at === -1) return name;
  return name.slice(name.indexOf('/', at + 1) + 1);
}
