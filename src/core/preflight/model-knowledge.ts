import { nearest } from '../text/nearest.ts';

/** What an agent says about a model. Anything but a plain no lets a loop start. */
export type ModelKnowledge =
  | { readonly kind: 'known' }
  | {
      readonly kind: 'unknown';
      /** What was asked: a command or an address, for people. */
      readonly asked: string;
      /** What it said, or that it is not listed. */
      readonly said: string;
      /** Models it does know; empty: it does not tell. */
      readonly models: readonly string[];
    }
  /** It did not answer, or not so that one could be sure. */
  | { readonly kind: 'unsure' };

const shownModels = 6;

/** The name that was probably meant; null when none is close. */
export function likelyModel(model: string, models: readonly string[]): string | null {
  const close = nearest(model, models);
  if (close !== null) return close;
  // `provider/name` was meant by the name alone, and the other way round.
  const tail = tailOf(model);
  const same = models.filter((each) => tailOf(each) === tail);
  // Several providers have it: which one is meant cannot be guessed.
  if (same.length > 0) return same.length === 1 ? (same[0] ?? null) : null;
  const near = nearest(tail, models.map(tailOf));
  return near === null ? null : (models.find((each) => tailOf(each) === near) ?? null);
}

/** A few of the models, for people. */
export function listModels(models: readonly string[]): string {
  const shown = models.slice(0, shownModels).join(', ');
  const more = models.length - shownModels;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function tailOf(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1);
}
