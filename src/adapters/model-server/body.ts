/** Reading request bodies: foreign JSON, of which only the needed parts are looked at. */
import { isObject, objectAt, textAt, type Json } from '../../core/json/fields.ts';
import type { Tool } from './scenario.ts';

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
