import { createHash, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, redacted } from '../../support/redacted.ts';

const letters = 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0U1v2W3x4Y5z6A7b8C9d0E1f2';
const hex = '0123456789abcdef'.repeat(4);
const capitals = letters.toUpperCase();

/** Put together here, so that no scanner takes this file for a leak. */
const keys = [
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((prefix) => prefix + letters.slice(0, 36)),
  `github_pat_${letters.slice(0, 22)}_${letters}`,
  ...['glpat-', 'gldt-', 'glrt-', 'glcbt-'].map((prefix) => prefix + letters.slice(0, 20)),
  `npm_${letters.slice(0, 36)}`,
  `pypi-AgEIcHlwaS5vcmc${letters}`,
  `rubygems_${hex.slice(0, 48)}`,
  `dckr_pat_${letters.slice(0, 27)}`,
  `AKIA${capitals.slice(0, 16)}`,
  `ASIA${capitals.slice(0, 16)}`,
  `AIza${letters.slice(0, 35)}`,
  `GOCSPX-${letters.slice(0, 28)}`,
  `ya29.${letters}`,
  ...['dop_v1_', 'doo_v1_', 'dor_v1_'].map((prefix) => prefix + hex),
  `dapi${hex.slice(0, 32)}`,
  `hvs.${letters.slice(0, 28)}`,
  `tskey-auth-${letters.slice(0, 20)}`,
  `AGE-SECRET-KEY-1${capitals.slice(0, 58)}`,
  ...['xoxb-', 'xoxp-', 'xoxa-', 'xoxs-'].map((prefix) => `${prefix}123456789012-${letters}`),
  `xapp-1-A0123-${letters}`,
  ...['sk_live_', 'rk_live_', 'sk_test_'].map((prefix) => prefix + letters.slice(0, 24)),
  `whsec_${letters.slice(0, 32)}`,
  `SG.${letters.slice(0, 22)}.${letters.slice(0, 43)}`,
  `SK${hex.slice(0, 32)}`,
  `shpat_${hex.slice(0, 32)}`,
  `glsa_${letters.slice(0, 32)}_0a1b2c3d`,
  `lin_api_${letters.slice(0, 40)}`,
  `hf_${letters.slice(0, 34)}`,
  `gsk_${letters.slice(0, 52)}`,
  `r8_${letters.slice(0, 37)}`,
  `xai-${letters}${letters.slice(0, 16)}`,
  `sk-ant-api03-${letters}-AA`,
  `sk-${letters.slice(0, 48)}`,
  `sk-proj-${letters.slice(0, 40)}_${letters.slice(0, 20)}-x`,
];

const payload = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = `${payload({ alg: 'HS256', typ: 'JWT' })}.${payload({ sub: '1234567890', name: 'A Person' })}.${letters.slice(0, 43)}`;

const pem = String(
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }),
);
const encrypted = String(
  generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({
    type: 'pkcs1',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'x',
  }),
);
const elliptic = String(
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    type: 'sec1',
    format: 'pem',
  }),
);

/** Lines of a key that say something. */
function linesOf(block: string): readonly string[] {
  return block.split('\n').filter((line) => /^[A-Za-z0-9+/=]{6,}$/.test(line));
}

describe('a key', () => {
  it.each(keys)('is hidden: %s', (key) => {
    expect(redacted([], `say ${key}, please`)).toBe('say [redacted], please');
    expect(redacted([], `"${key}"\n`)).toBe('"[redacted]"\n');
    expect(redacted([], ...`x=${key}`.split(''))).toBe('x=[redacted]');
  });

  it.each([
    ['aws_secret_access_key = ', `${letters.slice(0, 36)}/+aB`],
    ['export AWS_SECRET_ACCESS_KEY="', `${letters.slice(0, 38)}/+`],
    ['{"SecretAccessKey": "', `${letters.slice(0, 38)}/+`],
    ['{\\"secretAccessKey\\":\\"', letters.slice(0, 40)],
    ['AccountName=x;AccountKey=', `${letters.slice(0, 64)}${letters.slice(0, 22)}==`],
    ['Endpoint=sb://x;SharedAccessKey=', `${letters.slice(0, 43)}=`],
    ['https://x.blob.test/c?sv=1&sig=', `${letters.slice(0, 41)}%2Bx%3D`],
    ['//registry.test/:_authToken=', '0a1b2c3d-0a1b-2c3d-4e5f-0a1b2c3d4e5f'],
    ['TWILIO_AUTH_TOKEN=', hex.slice(0, 32)],
    ['Authorization: Bearer ', letters.slice(0, 20)],
    ['Authorization: Basic ', Buffer.from('me:hunter2').toString('base64')],
    ['authorization: basic ', Buffer.from(`somebody:${letters}`).toString('base64')],
    ['"Authorization":"Basic ', Buffer.from('a:b1234').toString('base64')],
    ['https://hooks.slack.com/services/', `T0123456/B0123456/${letters.slice(0, 24)}`],
    ['postgres://me:', 'hunter2'],
    ['https://x-access-token:', 'p%40ss@word'],
    ['redis://:', 'secret'],
  ])('is hidden behind its name, which stays: %s', (name, key) => {
    const behind =
      name.includes('://') && !name.includes('?') && name.endsWith(':') ? '@host/x' : '" x';
    expect(redacted([], `${name}${key}${behind}`)).toBe(`${name}[redacted]${behind}`);
    expect(redacted([], ...`${name}${key}${behind}`.split(''))).toBe(`${name}[redacted]${behind}`);
  });

  it('is hidden in the name of a user whose password is hidden too', () => {
    const [token] = keys;
    expect(redacted([], `https://${token}:x-oauth-basic@host/`)).toBe(
      'https://[redacted]:[redacted]@host/',
    );
    expect(redacted([], `https://${token}@host/`)).toBe('https://[redacted]@host/');
  });
});

describe('a JSON Web Token', () => {
  it.each([jwt, `${payload({ alg: 'dir' })}..${letters}.${letters}.x`, jwt.slice(0, 60)])(
    'is hidden: %s',
    (token) => {
      expect(redacted([], `token=${token}; path=/`)).toBe('token=[redacted]; path=/');
      expect(redacted([], `{"t":"${token}"}`)).toBe('{"t":"[redacted]"}');
    },
  );
});

describe('a private key', () => {
  const written: readonly (readonly [string, (block: string) => string])[] = [
    ['as it is', (block) => block],
    ['in JSON', (block) => JSON.stringify({ key: block })],
    ['in JSON in JSON', (block) => JSON.stringify(JSON.stringify({ key: block }))],
    ['with CRLF', (block) => block.replaceAll('\n', '\r\n')],
    ['in YAML', (block) => `key: |\n${block.replaceAll(/^/gm, '    ')}`],
    ['added in a diff', (block) => block.replaceAll(/^/gm, '+')],
    ['removed in a diff', (block) => block.replaceAll(/^/gm, '-')],
    ['quoted', (block) => block.replaceAll(/^/gm, '> ')],
    ['coloured', (block) => block.replaceAll(/^(.*)$/gm, '\u001b[32m+$1\u001b[m')],
    [
      'as strings',
      (block) =>
        block
          .split('\n')
          .map((line) => `  '${line}',`)
          .join('\n'),
    ],
    ['in a comment', (block) => block.replaceAll(/^/gm, ' * ')],
  ];

  it.each(written)('is hidden %s', (_name, write) => {
    for (const block of [pem, encrypted, elliptic]) {
      const text = `before\n${write(block)}\nafter it.`;
      const result = redacted([], text);
      for (const line of linesOf(block)) expect(result).not.toContain(line);
      expect(result).toContain('before');
      expect(result).toContain('after it.');
      expect(redacted([], ...[...Buffer.from(text)].map((byte) => Buffer.from([byte])))).toBe(
        result,
      );
    }
  });

  it('is hidden when it is cut off', () => {
    const result = redacted([], `${pem.slice(0, 500)}\nand then the log goes on\nas before`);
    for (const line of linesOf(pem)) expect(result).not.toContain(line.slice(0, 20));
    expect(result).toContain('the log goes on\nas before');
  });

  it('hides little where only its first line is quoted', () => {
    expect(
      redacted([], "if (text.startsWith('-----BEGIN RSA PRIVATE KEY-----')) {}\nreturn 1;"),
    ).toBe("if (text.startsWith('----[redacted])) {}\nreturn 1;");
  });

  it('is no public one', () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const text = String(publicKey.export({ type: 'spki', format: 'pem' }));
    expect(redacted([], text)).toBe(text);
  });

  it('is hidden however it is cut', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...written),
        fc.array(fc.nat(5000), { maxLength: 20 }),
        ([, write], places) => {
          const data = Buffer.from(write(encrypted));
          expect(redacted([], ...cut(data, places))).toBe(redacted([], data));
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('what is no secret stays', () => {
  const sourceMap = Buffer.from(
    JSON.stringify({ version: 3, sources: ['a.ts'], mappings: 'AAAA;'.repeat(2000) }),
  ).toString('base64');

  it.each([
    ['commits', createHash('sha1').update('x').digest('hex').repeat(1)],
    ['a log of commits', 'commit 9fceb02d0ae598e95dc970b74767f19372d61af8\nAuthor: A <a@b.test>'],
    ['digests', `sha256:${hex} sha512-${Buffer.from(hex).toString('base64')}`],
    ['a lock file', `"integrity": "sha512-${Buffer.from(letters).toString('base64')}=="`],
    ['UUIDs', `${randomUUID()} urn:uuid:${randomUUID()}`],
    ['an inline source map', `//# sourceMappingURL=data:application/json;base64,${sourceMap}`],
    ['an image', `data:image/png;base64,${Buffer.from(letters.repeat(20)).toString('base64')}`],
    ['JSON in base64', `eyJ2ZXJzaW9uIjozfQ== eyJhIjoxfQ eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbXX0.map`],
    [
      'addresses',
      'http://localhost:8080/a@b https://x.test:443 git@github.com:a/b.git ssh://git@h/a',
    ],
    ['templates', 'postgres://${USER}:${PASSWORD}@host https://me:$TOKEN@host redis://:*****@h'],
    [
      'prose',
      'Basic authentication uses a Bearer token; Basic TypeScriptSupport2 is here. sig=short',
    ],
    [
      'names',
      'skeleton sk-button npm_config_cache hf_home ghp_short SKILL SKU0123 dapi dapibus eyJust',
    ],
    ['a certificate', `-----BEGIN CERTIFICATE-----\n${letters}\n-----END CERTIFICATE-----`],
    ['lines', `${'-'.repeat(80)}\n${'='.repeat(80)}\n-----BEGIN TEST OUTPUT-----\n`],
    ['code', 'const aws_secret_access_key = process.env.AWS_SECRET_ACCESS_KEY ?? readKey("x");'],
    ['configuration', '_authToken=${NPM_TOKEN}\nAccountKey=<your key>\naws_session_token = None'],
    ['a stack', 'at Object.<anonymous> (/home/me/task-runner/dist/index-A1b2C3d4.js:12:34)'],
  ])('%s', (_name, text) => {
    expect(redacted([], text)).toBe(text);
    expect(redacted([], `\u001b[1m${text}\u001b[0m`)).toBe(`\u001b[1m${text}\u001b[0m`);
  });

  it('base64 and hexadecimal of any bytes', () => {
    for (let i = 0; i < 200; i += 1) {
      const bytes = randomBytes(3000);
      for (const encoding of ['base64', 'base64url', 'hex'] as const) {
        const text = bytes.toString(encoding);
        expect(redacted([], text)).toBe(text);
      }
    }
  });
});
