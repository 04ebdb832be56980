import { describe, expect, it } from 'vitest';
import { configJsonSchema } from '../../../src/core/config/json-schema.ts';
import { defaultSettings } from '../../../src/core/config/schema.ts';
import { isTree, valueAt } from '../../../src/core/config/tree.ts';

function propertiesWithoutDescription(node: unknown, path: string): readonly string[] {
  if (Array.isArray(node)) return node.flatMap((part) => propertiesWithoutDescription(part, path));
  if (!isTree(node)) return [];
  return Object.entries(node).flatMap(([key, child]) => {
    if (key === 'default') return [];
    const inner = propertiesWithoutDescription(child, `${path}/${key}`);
    if (key !== 'properties' || !isTree(child)) return inner;
    const bare = Object.entries(child).filter(
      ([, value]) => !isTree(value) || !value['description'],
    );
    return [...bare.map(([name]) => `${path}/${name}`), ...inner];
  });
}

describe('the JSON Schema', () => {
  const schema = configJsonSchema();

  it('describes every key', () => {
    expect(propertiesWithoutDescription(schema, '')).toEqual([]);
  });

  it('has every section and refuses unknown keys', () => {
    const sections = valueAt(schema, ['properties']);
    expect(Object.keys(isTree(sections) ? sections : {})).toEqual(
      expect.arrayContaining(Object.keys(defaultSettings())),
    );
    expect(schema['additionalProperties']).toBe(false);
  });

  it('shows defaults as they are written', () => {
    expect(schema).toHaveProperty('properties.validation.properties.timeout.default', '5m');
    expect(schema).toHaveProperty('properties.limits.properties.max-iterations.default', 100);
    expect(schema).toHaveProperty('properties.verify.properties.integrity.default', 'strict');
  });

  it('knows short forms, append keys and old names', () => {
    expect(valueAt(schema, ['properties', 'strategy', 'anyOf', 0])).toEqual({
      type: 'string',
      enum: ['until-pass', 'fixed', 'hybrid', 'ralph', 'manual', 'custom'],
    });
    expect(schema).toHaveProperty('properties.workspace.properties.+link');
    expect(schema).toHaveProperty(
      'properties.validation.properties.progress-max-chars.deprecated',
      true,
    );
  });

  it('is JSON', () => {
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });
});
