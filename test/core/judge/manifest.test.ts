import { describe, expect, it } from 'vitest';
import { restoreManifest } from '../../../src/core/judge/manifest.ts';

const json = (value: unknown) => JSON.stringify(value, null, 2);

describe('a manifest of npm', () => {
  it('keeps the dependencies of the loop and the scripts of the base', () => {
    const base = json({ name: 'a', scripts: { test: 'vitest run' }, dependencies: { x: '1.0.0' } });
    const loop = json({
      name: 'a',
      scripts: { test: 'true', posttest: 'rm -rf test' },
      dependencies: { x: '2.0.0', y: '1.0.0' },
      jest: { testMatch: [] },
    });
    const { text, restored, dependencies } = restoreManifest('package.json', base, loop);
    expect(JSON.parse(text!)).toEqual({
      name: 'a',
      scripts: { test: 'vitest run' },
      dependencies: { x: '2.0.0', y: '1.0.0' },
    });
    expect(restored).toEqual(['scripts.test', 'scripts.posttest', 'jest']);
    expect(dependencies).toBe(true);
  });

  it('is returned as it is when the judge is untouched', () => {
    const base = '{"name":"a","scripts":{"test":"x"},"version":"1"}';
    const loop = '{ "version": "2",\r\n"name":"a","scripts":{"test":"x"} }';
    expect(restoreManifest('package.json', base, loop)).toEqual({
      text: loop,
      restored: [],
      dependencies: false,
    });
  });
});
