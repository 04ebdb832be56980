import { describe, expect, it } from 'vitest';
import { neededManifest } from '../../../src/core/preflight/needed-manifest.ts';

describe('the manifest of a check', () => {
  it.each<[string, string | null]>([
    ['npm test', 'package.json'],
    ['CI=1 pnpm run test', 'package.json'],
    ['cargo test', 'Cargo.toml'],
    ['go test ./...', 'go.mod'],
    // It runs elsewhere, or is only tried.
    ['cd web && npm test', null],
    ['npm test || true', null],
    ['npm ci; npm test', null],
    ['make test', null],
    ['sh -c "npm test"', null],
    ['', null],
  ])('of %s is %s', (text, file) => {
    expect(neededManifest(text)).toBe(file);
  });
});
