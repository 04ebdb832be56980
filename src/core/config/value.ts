/**
 * The kinds of value a key can have. Durations and sizes are codecs: text in the file, a number in
 * `Settings`, text again when settings are shown.
 */
import { z } from 'zod';
import { lazy } from '../lazy.ts';
import { byteSizePattern, formatByteSize, parseByteSize } from './byte-size.ts';
import { durationPattern, formatDuration, parseDuration } from './duration.ts';

const durationExpected = 'expected a duration such as `90s`, `30m`, `4h` or `1h30m`';
const byteSizeExpected = 'expected a size such as `512mb` or `10gb`';
const maxDurationMs = 10 * 366 * 86_400_000;

/** Milliseconds. Written as text, or as the number 0. */
export const Duration = lazy(() =>
  z
    .codec(
      z.union([z.literal(0), z.string().regex(durationPattern, durationExpected)], {
        error: durationExpected,
      }),
      z.number().int().min(0).max(maxDurationMs),
      {
        decode: (value, context) => {
          const ms = value === 0 ? 0 : parseDuration(value);
          if (ms !== null) return ms;
          context.issues.push({ code: 'custom', message: durationExpected, input: value });
          return z.NEVER;
        },
        encode: (ms) => formatDuration(ms),
      },
    )
    .meta({ 'x-kind': 'duration' }),
);

/** Bytes. Written as text in steps of 1024, or as the number 0. */
export const ByteSize = lazy(() =>
  z
    .codec(
      z.union([z.literal(0), z.string().regex(byteSizePattern, byteSizeExpected)], {
        error: byteSizeExpected,
      }),
      z.number().int().min(0),
      {
        decode: (value, context) => {
          const bytes = value === 0 ? 0 : parseByteSize(value);
          if (bytes !== null) return bytes;
          context.issues.push({ code: 'custom', message: byteSizeExpected, input: value });
          return z.NEVER;
        },
        encode: (bytes) => formatByteSize(bytes),
      },
    )
    .meta({ 'x-kind': 'bytes' }),
);

/** A whole number from 0 up. */
export const Count = lazy(() => z.number().int().min(0));

/** A whole number from 1 up. */
export const Positive = lazy(() => z.number().int().min(1));

/** A number from 0 to 1. */
export const Share = lazy(() => z.number().min(0).max(1));

/** Text with something in it; a NUL byte can reach neither a process nor a file name. */
export const Text = lazy(() =>
  z
    .string()
    .min(1, 'must not be empty')
    .refine((text) => !text.includes('\0'), 'must not contain a NUL byte'),
);

/** A path or glob that stays inside the folder it is relative to. */
export const InnerPath = lazy(() =>
  Text().refine(
    (path) => !path.startsWith('/') && !path.split('/').includes('..'),
    'must be a path inside the repository: not absolute, without `..`',
  ),
);

/** Source text of a JavaScript regular expression. */
export const Pattern = lazy(() =>
  Text().max(1000).refine(compiles, 'is not a valid regular expression'),
);

/** Name of something the user defines: it appears in flags, file names and messages. */
export const Name = lazy(() =>
  z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/, 'must be letters, digits, `.`, `_` or `-`'),
);

/** Name of an environment variable. */
export const VariableName = lazy(() =>
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is not the name of an environment variable'),
);

/** Variables with their values; numbers need quotes so that `1.10` stays what was written. */
export const Variables = lazy(() =>
  z.record(
    VariableName(),
    z.string().refine((text) => !text.includes('\0'), 'must not contain a NUL byte'),
  ),
);

function compiles(source: string): boolean {
  try {
    return new RegExp(source, 'u') instanceof RegExp;
  } catch {
    // The constructor's only way to say "not a pattern" is to throw.
    return false;
  }
}

type ShortForm = {
  readonly full: z.ZodType;
  /** JSON Schema of the short form. */
  readonly short: Readonly<Record<string, unknown>>;
};

/** zod's own metadata takes no schemas, so short forms are kept beside it. */
const shortForms = new WeakMap<object, ShortForm>();

/** The short form that a schema reads, for documentation; undefined for any other schema. */
export function shortFormOf(schema: object): ShortForm | undefined {
  return shortForms.get(schema);
}

/**
 * A map that may also be written in a short form, mostly a bare name. `expand` turns the short form into the
 * map and passes everything else on; what it returns is checked by `full`. `short` is the JSON Schema of the
 * short form.
 */
export function shorthand<T>(
  full: z.ZodType<T>,
  short: Readonly<Record<string, unknown>>,
  expand: (value: unknown) => unknown,
) {
  const written = z.unknown();
  shortForms.set(written, { full, short });
  return z.codec(written, full, { decode: expand, encode: (value) => value });
}
