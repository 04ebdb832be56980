import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedaction } from '../../../src/core/redact/redactor.ts';
import { defaultSettings } from '../../../src/core/config/schema.ts';
import { secretForms } from '../../../src/core/redact/secret-forms.ts';
import { secretsOf, secretsOfEngine } from '../../../src/core/redact/secret-values.ts';
import { cut, redacted } from '../../support/redacted.ts';

const token = 'tok_9f8e7d6c5b4a';

/** All but letters, digits and `_.-~`. */
function quoted(secret: string): string {
  return encodeURIComponent(secret).replaceAll(
    /[!'()*]/g,
    (unit) => `%${unit.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

describe('a secret of the environment', () => {
  it('is hidden wherever it stands', () => {
    expect(redacted([token], `${token} a${token}b ${token}${token}`)).toBe(
      '[redacted] a[redacted]b [redacted]',
    );
  });

  it.each([
    ['as it is', (secret: string) => secret],
    ['as JSON', (secret: string) => JSON.stringify({ text: secret })],
    ['as JSON in JSON', (secret: string) => JSON.stringify(JSON.stringify({ text: secret }))],
    ['in an address', (secret: string) => `https://x.test/?key=${encodeURIComponent(secret)}&b=1`],
    ['quoted as in Python', (secret: string) => quoted(secret).replaceAll('%2F', '/')],
    ['quoted as in Python with a slash', (secret: string) => quoted(secret)],
    ['as a form', (secret: string) => new URLSearchParams({ key: secret }).toString()],
    ['in base64', (secret: string) => Buffer.from(secret).toString('base64')],
    ['in base64 after one byte', (secret: string) => Buffer.from(`:${secret}x`).toString('base64')],
    ['in base64 after two', (secret: string) => Buffer.from(`u:${secret}`).toString('base64')],
    ['in base64url', (secret: string) => Buffer.from(secret).toString('base64url')],
  ])('is hidden %s', (_name, write) => {
    for (const secret of ['p"w\\d with spaces', 'ünïcödé-pass/wörd+?', "(it's)*/!all", token]) {
      const written = write(secret);
      const result = redacted([secret], `<${written}>`);
      expect(result).toContain('[redacted]');
      for (const form of secretForms([secret])) {
        expect(result).not.toContain(Buffer.from(form).toString('latin1'));
      }
    }
  });

  it('is hidden line by line when it has many', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQ\n-----END KEY-----';
    expect(redacted([key], 'first MIIEvQIBADANBg then\nkqhkiG9w0BAQ')).toBe(
      'first [redacted] then\n[redacted]',
    );
    expect(redacted([key], `x${JSON.stringify(key)}y`)).toBe('x"[redacted]"y');
  });

  it('is hidden where two of them overlap', () => {
    expect(redacted(['abcdefgh', 'efghijkl'], 'xxabcdefghijklxx')).toBe('xx[redacted]xx');
    expect(redacted(['abcdefgh', 'abcdefghijkl'], 'abcdefghijkl abcdefghij')).toBe(
      '[redacted] [redacted]ij',
    );
  });

  it('comes from variables that look secret and hold enough', () => {
    const env = {
      API_KEY: 'long-enough-value',
      SHORT_KEY: 'short',
      HOME: '/home/somebody',
      GITHUB_TOKEN: '  padded-token-value \n',
      EMPTY_TOKEN: undefined,
    };
    expect(secretsOf(env)).toEqual(['long-enough-value', 'padded-token-value']);
  });

  it.each([
    ['postgres://me:hunter2hunter2@db.test:5432/app?ssl=1', ['hunter2hunter2']],
    ['redis://:p%40ss%2Fword1@cache.test', ['p%40ss%2Fword1', 'p@ss/word1']],
    ['amqp://a:with@sign12@host/x', ['with@sign12']],
    ['https://example.test:8080/path@here', []],
    ['postgres://me@db.test/app', []],
    ['mysql://me:%zzbroken1@db', ['%zzbroken1']],
  ])('comes from the password in an address: %s', (address, secrets) => {
    expect(secretsOf({ DATABASE_URL: address, PLAIN: address })).toEqual([...secrets, ...secrets]);
  });
});

describe('the secrets of an engine', () => {
  const settings = defaultSettings();

  it('are those of its whole environment, handed on or not, and those of its configuration', () => {
    const env = { FOO_TOKEN: 'handed-on', OTHER_KEY: 'not-handed-on', PLAIN: 'plain-value' };
    const configured = {
      env: { ...settings.env, pass: ['FOO_*'], set: { SET_TOKEN: 'set-for-all' } },
      agents: { mine: { env: { OWN_KEY: 'set-for-one' } } },
    };
    expect(secretsOfEngine(env, configured)).toEqual([
      'handed-on',
      'not-handed-on',
      'set-for-all',
      'set-for-one',
    ]);
  });

  it('are the keys that agents take from variables with any name', () => {
    const env = { MODEL_ACCESS: 'key-of-model', PLAIN: 'plain-value' };
    const agents = { mine: { 'key-variable': 'MODEL_ACCESS' } };
    expect(secretsOfEngine(env, { env: settings.env, agents })).toEqual(['key-of-model']);
  });

  it('are what headers say about who one is', () => {
    const env = {
      ANTHROPIC_CUSTOM_HEADERS: 'Authorization: Bearer abcdefghijk\nContent-Type: application/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=lmnopqrstuv,x-team=the-team-of-us',
    };
    expect(secretsOf(env)).toEqual(['abcdefghijk', 'lmnopqrstuv']);
  });

  it('grow by what a program is given', () => {
    const redaction = createRedaction(['first-secret']);
    const hidden = (text: string) => {
      const stream = redaction.stream();
      return Buffer.concat([...stream.push(Buffer.from(text)), ...stream.end()]).toString();
    };
    expect(hidden('first-secret second-secret')).toBe('[redacted] second-secret');
    redaction.learn(['second-secret']);
    expect(hidden('first-secret second-secret')).toBe('[redacted] [redacted]');
  });
});

describe('what looks like a key', () => {
  const body = 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8';

  it.each([
    `sk-${body}`,
    `sk-ant-api03-${body}_x-y`,
    `sk-proj-abcdefghijklmnopqrstU`,
    `ghp_${body}`,
    `github_pat_${body}`,
    'AKIAIOSFODNN7EXAMPLE',
    'xoxb-123456789012-abcdef',
    `glpat-${body}`,
    `AIza${body}`,
    `npm_${body}`,
    `hf_${body}`,
  ])('is hidden: %s', (key) => {
    expect(redacted([], `say ${key}, please`)).toBe('say [redacted], please');
    expect(redacted([], key)).toBe('[redacted]');
    for (const before of ['"', '=', '\\n', '\\u003d', '%3D', '\u001b[31m', '\\u001b[1;31m']) {
      expect(redacted([], `${before}${key}"`)).toBe(
        `${Buffer.from(before).toString('latin1')}[redacted]"`,
      );
    }
  });

  it('is hidden behind Bearer, which stays', () => {
    expect(redacted([], 'Authorization: Bearer eyJhbGciOi.J9.abc-_=\r\n')).toBe(
      'Authorization: Bearer [redacted]\r\n',
    );
  });

  it.each([
    'task-management-with-a-very-long-name-1',
    'the risk-assessment-of-disk-usage-2024-report',
    'sk-estimator-html-doc-link',
    'sk-learn',
    'Bearer authentication-is-required here',
    'a ghp_short AKIASHORT xoxo npm_config_registry hf_home',
  ])('and is none stays: %s', (text) => {
    expect(redacted([], text)).toBe(text);
  });
});

/** Few letters, so that beginnings of secrets turn up all the time. */
const letters = fc.constantFrom('a', 'b', 'c', '"', ' ', '-');
const secret = fc
  .string({ unit: letters, minLength: 8, maxLength: 14 })
  .filter((value) => value.trim().length >= 8);
const piece = fc.oneof(
  fc.string({ unit: letters, maxLength: 12 }),
  fc.constantFrom(
    'sk-',
    'sk-A1b2C3d4E5f6G7h8I9j0K1',
    ` Bearer abcdefghijklmnop1.sk-${'aA'.repeat(50)}/more`,
    'AKIAIOSFODNN7EXAMPLE',
    '\\n',
    '%3D',
    'x'.repeat(80),
  ),
);

describe('however the stream is cut', () => {
  const stream = fc
    .tuple(fc.array(secret, { maxLength: 3 }), fc.array(piece, { maxLength: 12 }), fc.nat(30))
    .chain(([secrets, pieces, seed]) => {
      const parts = pieces.flatMap((text, index) => [
        text,
        secrets.length > 0 && (index + seed) % 3 === 0 ? secrets[index % secrets.length]! : '',
      ]);
      return fc.tuple(
        fc.constant(secrets),
        fc.constant(Buffer.from(parts.join(''))),
        fc.array(fc.nat(1000), { maxLength: 30 }),
      );
    });

  it('the result is the same', () => {
    fc.assert(
      fc.property(stream, ([secrets, data, places]) => {
        expect(redacted(secrets, ...cut(data, places))).toBe(redacted(secrets, data));
      }),
      { numRuns: 3000 },
    );
  });

  it('byte by byte the result is the same', () => {
    fc.assert(
      fc.property(stream, ([secrets, data]) => {
        const bytes = [...data].map((byte) => Buffer.from([byte]));
        expect(redacted(secrets, ...bytes)).toBe(redacted(secrets, data));
      }),
      { numRuns: 500 },
    );
  });

  it('no secret is in the result, and what is no secret is', () => {
    fc.assert(
      fc.property(stream, ([secrets, data, places]) => {
        const result = redacted(secrets, ...cut(data, places));
        for (const form of secretForms(secrets)) {
          expect(
            result
              .split('[redacted]')
              .some((rest) => rest.includes(Buffer.from(form).toString('latin1'))),
          ).toBe(false);
        }
        let at = 0;
        const text = data.toString('latin1');
        for (const rest of result.split('[redacted]')) {
          const found = text.indexOf(rest, at);
          expect(found).toBeGreaterThanOrEqual(0);
          at = found + rest.length;
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('bytes that are no text pass unharmed', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.array(fc.nat(300), { maxLength: 8 }),
        (bytes, places) => {
          const data = Buffer.from(bytes);
          expect(redacted(['not-in-there-at-all'], ...cut(data, places))).toBe(
            data.toString('latin1'),
          );
        },
      ),
    );
  });
});

function timeOf(secrets: readonly string[], text: string, count: number): number {
  const chunk = Buffer.from(text.repeat(count));
  const redactor = createRedaction(secrets).stream();
  const before = performance.now();
  for (let i = 0; i < 8; i += 1) redactor.push(chunk);
  return performance.now() - before;
}

describe('hostile output', () => {
  it('holds back little, whatever comes', () => {
    const redactor = createRedaction(['a'.repeat(10_000), token]).stream();
    for (const text of ['a', 'sk-A', token.slice(0, -1), 'Bearer ', 'sk-']) {
      redactor.push(Buffer.from(text.repeat(20_000)));
    }
    const rest = redactor.end().reduce((sum, part) => sum + part.length, 0);
    expect(rest).toBeLessThanOrEqual(512);
  });

  it('takes linear time', () => {
    for (const text of ['a', 'sk-', 'sk-A/', 'Bearer a.', '\\nsk-aaaa', 'tok_9f8e7d6c5b4']) {
      const secrets = ['a'.repeat(2000), `${'a'.repeat(255)}b`, token];
      const once = Math.max(timeOf(secrets, text, 20_000), 5);
      expect(timeOf(secrets, text, 80_000)).toBeLessThan(once * 20);
    }
  });
});
