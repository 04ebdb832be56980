/**
 * Which environment variables reach agents and checks. Nothing is inherited unless it is listed here or the user
 * named it: a check runs code an agent wrote, so a key in its environment is a key given away.
 */
import { matchesName } from '../text/glob.ts';
import { isReserved } from './reserved.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type EnvironmentRules = {
  /** Names or patterns (`AWS_*`) of variables to hand on: `env.pass`, and for agents their own variables. */
  readonly pass: readonly string[];
  /** Variables with fixed values: `env.set`. Stronger than what is handed on. */
  readonly set: Readonly<Record<string, string>>;
  /** The variables of this iteration, from `reservedVariables`. Strongest. */
  readonly reserved: Readonly<Record<string, string>>;
};

const sharedNames = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TZ',
  'LANG',
  'LANGUAGE',
  'LC_*',
  'NO_COLOR',
  'TMPDIR',
  'TMP',
  'TEMP',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
  'XDG_CACHE_HOME',
] as const;

/** An agent must reach its model, also from behind a company's proxy. */
const agentNames = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
] as const;

const forAgents = [...sharedNames, ...agentNames];

const defaultPath = '/usr/local/bin:/usr/bin:/bin';
/** Nothing here has a terminal: programs should not draw for one. */
const fixed = { TERM: 'dumb' } as const;

/** The environment of an agent: the shared variables, the way to the network, what the user hands on. */
export function agentEnvironment(
  base: Environment,
  rules: EnvironmentRules,
): Record<string, string> {
  const isAllowed = (name: string): boolean =>
    matchesName(name, forAgents) || isPassed(name, rules.pass);
  return assemble(base, isAllowed, fixed, rules);
}

/**
 * Python takes compiled code for that of a source with the same size and second. The base is checked so shortly before an
 * agent may act that its compiled code would be taken for the agent's.
 */
const forChecks = { CI: 'true', PYTHONDONTWRITEBYTECODE: '1' } as const;

/**
 * The environment of a check. A variable that looks like a key is handed on only if its exact name is in `pass`; a
 * pattern does not name it.
 */
export function checkEnvironment(
  base: Environment,
  rules: EnvironmentRules,
): Record<string, string> {
  const isAllowed = (name: string): boolean =>
    matchesName(name, sharedNames) ||
    rules.pass.includes(name) ||
    (isPassed(name, rules.pass) && !looksSecret(name));
  return assemble(base, isAllowed, { ...fixed, ...forChecks }, rules);
}

const cleanNames = ['PATH', 'TZ', 'LANG', 'LANGUAGE', 'LC_*', 'NO_COLOR'] as const;

/** Where a home is, or something in it: a clean place has its own, unless the user names one exactly. */
const placeNames = ['HOME', 'TMPDIR', 'TMP', 'TEMP', 'XDG_*'] as const;

type Folders = { readonly home: string; readonly temporary: string };

/** The environment of a clean room: where programs are, the language, an empty home, and what the user names exactly. */
export function cleanEnvironment(
  base: Environment,
  rules: EnvironmentRules,
  folders: Folders,
): Record<string, string> {
  const isAllowed = (name: string): boolean =>
    matchesName(name, cleanNames) || rules.pass.includes(name);
  return assemble(base, isAllowed, ofPlace(folders), rules);
}

/** The same for a confirmation, with all that the user hands on to checks. */
export function roomEnvironment(
  base: Environment,
  rules: EnvironmentRules,
  folders: Folders,
): Record<string, string> {
  const isAllowed = (name: string): boolean =>
    matchesName(name, cleanNames) ||
    rules.pass.includes(name) ||
    (isPassed(name, rules.pass) && !looksSecret(name) && !matchesName(name, placeNames));
  return assemble(base, isAllowed, ofPlace(folders), rules);
}

function ofPlace({ home, temporary }: Folders): Readonly<Record<string, string>> {
  return { ...fixed, HOME: home, TMPDIR: temporary, CI: 'true' };
}

const secretWords = [
  'KEY',
  'KEYS',
  'TOKEN',
  'TOKENS',
  'SECRET',
  'SECRETS',
  'PASSWORD',
  'PASSWD',
  'PASSPHRASE',
  'PASS',
  'PAT',
  'PWD',
  'AUTH',
  'CREDENTIAL',
  'CREDENTIALS',
  'COOKIE',
  'PRIVATE',
] as const;
const secretEndings = ['KEY', 'TOKEN', 'SECRET', 'PASSWORD'] as const;
const notSecret = ['PWD', 'OLDPWD'];

/** Whether a variable's name says that it holds something to be kept: `OPENAI_API_KEY`, `GITHUB_TOKEN`, `PGPASSWORD`. */
export function looksSecret(name: string): boolean {
  const upper = name.toUpperCase();
  if (notSecret.includes(upper)) return false;
  return upper
    .split('_')
    .some(
      (word) =>
        secretWords.some((secret) => word === secret) ||
        secretEndings.some((ending) => word.endsWith(ending)),
    );
}

function assemble(
  base: Environment,
  isAllowed: (name: string) => boolean,
  defaults: Readonly<Record<string, string>>,
  rules: EnvironmentRules,
): Record<string, string> {
  const inherited = Object.entries(base).flatMap(([name, value]): [string, string][] =>
    value !== undefined && isVariableName(name) && !isReserved(name) && isAllowed(name)
      ? [[name, value]]
      : [],
  );
  const set = Object.entries(rules.set).filter(
    ([name]) => isVariableName(name) && !isReserved(name),
  );
  // A terminal type the user hands on by name is wanted; the one that merely happens to be there is not.
  const wanted = Object.entries(defaults).filter(([name]) => !rules.pass.includes(name));
  return Object.fromEntries([
    ['PATH', defaultPath],
    ...inherited,
    ...wanted,
    ...set,
    ...Object.entries(rules.reserved),
  ]);
}

/** Patterns never reach our own configuration: an agent that runs Loopwright should read its own. */
function isPassed(name: string, pass: readonly string[]): boolean {
  return pass.includes(name) || (!/^_*LOOPWRIGHT_/.test(name) && matchesName(name, pass));
}

/** Shells drop every other name, so it would reach some programs and not others. */
function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}
