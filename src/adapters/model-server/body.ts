/** Reading request bodies: foreign JSON, of which only the needed parts are looked at. */
import type { Tool } from './scenario.ts';

export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectAt(value: unknown, key: string): Json {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : {};
}

export function listAt(value: unknown, key: string): readonly unknown[] {
  const found = isObject(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
}

export function textAt(value: unknown, key: string): string {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : '';
}

/** The text of a message's content: a string, or parts of which some are text. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => (typeof part === 'string' ? part : textAt(part, 'text')))
    .filter((text) => text !== '')
    .join('\n');
}

/** The text of a message. */
export function contentText(message: unknown): string {
  return textOf(isObject(message) ? message['content'] : '');
}

/** A tool whose parameters are a JSON schema. */
export function schemaTool(name: string, schema: Json): Tool {
  const properties = objectAt(schema, 'properties');
  return {
    name,
    properties: Object.keys(properties),
    lists: Object.entries(properties)
      .filter(([, value]) => textAt(value, 'type').toLowerCase() === 'array')
      .map(([property]) => property),
    isFreeform: false,
  };
}
