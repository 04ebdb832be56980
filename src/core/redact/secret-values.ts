/** Which values are secrets. Decided here alone, for everybody who keeps or shows a text. */
import type { Settings } from '../config/schema.ts';
import { looksSecret } from '../env/allow-list.ts';

/** Shorter values are words, ports and flags: hiding those would hide everything. */
const shortestSecret = 8;

type Variables = Readonly<Record<string, string | undefined>>;

export type SecretValue = {
  /** The variable it comes from. */
  readonly name: string;
  readonly value: string;
};

/**
 * The values of variables whose names say that they hold something to be kept, or are among `keys`; the passwords in addresses
 * (`DATABASE_URL=postgres://me:password@host/db`), whatever the variable is called; and what headers say about who one is.
 */
export function secretValues(env: Variables, keys: readonly string[] = []): readonly SecretValue[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    const own = looksSecret(name) || keys.includes(name) ? [value.trim()] : [];
    const within = [...passwordsIn(value), ...(isHeaders(name) ? credentialsIn(value) : [])];
    return [...own, ...within].filter(isLongEnough).map((secret) => ({ name, value: secret }));
  });
}

export function secretsOf(env: Variables, keys: readonly string[] = []): readonly string[] {
  return secretValues(env, keys).map(({ value }) => value);
}

/**
 * What nobody may find in anything an engine keeps: the secrets of its whole environment, whether they are handed on or not,
 * the keys that agents are configured to take from it, and those that are written into the configuration.
 */
export function secretsOfEngine(
  env: Variables,
  { env: { set }, agents }: Pick<Settings, 'env' | 'agents'>,
): readonly string[] {
  const configured = Object.values(agents);
  const keys = configured.flatMap((agent) => agent['key-variable'] ?? []);
  const own = configured.flatMap((agent) => secretsOf(agent.env ?? {}, keys));
  return [...secretsOf(env, keys), ...secretsOf(set, keys), ...own];
}

export function isLongEnough(value: string): boolean {
  return value.trim().length >= shortestSecret;
}

/** As it is written in the address, and as it is meant. */
function passwordsIn(value: string): readonly string[] {
  const start = value.indexOf('://');
  if (start === -1) return [];
  const rest = value.slice(start + '://'.length);
  const end = rest.search(/[/?#]/);
  const authority = end === -1 ? rest : rest.slice(0, end);
  const [colon, at] = [authority.indexOf(':'), authority.lastIndexOf('@')];
  if (colon === -1 || at <= colon) return [];
  const written = authority.slice(colon + 1, at);
  return [...new Set([written, decoded(written)])];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `ANTHROPIC_CUSTOM_HEADERS`, `OTEL_EXPORTER_OTLP_HEADERS`. */
function isHeaders(name: string): boolean {
  return name.toUpperCase().split('_').includes('HEADERS');
}

/** `Authorization: Bearer abc` and `x-api-key=abc`: what follows, without the word for its kind. */
function credentialsIn(headers: string): readonly string[] {
  return headers.split(/[\n,]/).flatMap((header) => {
    const end = header.search(/[:=]/);
    if (end === -1 || !isCredential(header.slice(0, end))) return [];
    return header
      .slice(end + 1)
      .trim()
      .split(' ')
      .slice(-1);
  });
}

function isCredential(header: string): boolean {
  const name = header.trim().toUpperCase().replaceAll('-', '_');
  return name.endsWith('AUTHORIZATION') || looksSecret(name);
}
