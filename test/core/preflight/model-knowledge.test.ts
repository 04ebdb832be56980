import { describe, expect, it } from 'vitest';
import { likelyModel, listModels } from '../../../src/core/preflight/model-knowledge.ts';

describe('the model that was meant', () => {
  const models = ['fake/fake-model', 'open/gpt-5', 'azure/gpt-5', 'open/sonnet'];

  it.each<[string, string | null]>([
    ['fake/fake-modle', 'fake/fake-model'],
    ['fake-model', 'fake/fake-model'],
    ['fake-moddel', 'fake/fake-model'],
    ['other/sonnet', 'open/sonnet'],
    // Several providers have it.
    ['gpt-5', null],
    ['nothing-like-it', null],
  ])('by %s is %s', (model, likely) => {
    expect(likelyModel(model, models)).toBe(likely);
  });

  it('is listed with a few others', () => {
    expect(listModels(['a', 'b'])).toBe('a, b');
    expect(listModels(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])).toBe(
      'a, b, c, d, e, f and 2 more',
    );
  });
});
