/** Secrets that are known by their looks. A new one is a line here. */
import { ascii, chars, classOf, printableBut } from './bytes.ts';
import { isAnything, isCredentials, isMixed } from './plausible.ts';
import {
  matchBlock,
  matchKey,
  matchPassword,
  matchSigned,
  type KeyRule,
  type Shape,
} from './shape.ts';

const { alphanumeric, upperCase, digits } = chars;
const letters = classOf(alphanumeric);
const word = classOf(`${alphanumeric}_`);
const dashed = classOf(`${alphanumeric}_-`);
const dotted = classOf(`${alphanumeric}_-.`);
const base64 = classOf(`${alphanumeric}+/=_-`);
const inAddress = classOf(`${alphanumeric}+/=_-%.`);
const capitals = classOf(upperCase + digits);
const hex = classOf(`${digits}abcdef`);
/** Between a name and its value, in shells, configuration files, JSON (also twice) and XML. */
const gap = classOf(' \t"\'\\:=>');

type Prefixes = readonly string[];

/** A prefix that nothing else has, and enough bytes of one kind. */
const keys: readonly (readonly [Prefixes, KeyRule['body'], shortest: number])[] = [
  // Forges and package registries.
  [['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], letters, 30],
  [['github_pat_'], word, 22],
  [['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'glft-', 'glsoat-', 'gloas-'], dotted, 20],
  [['ATBB', 'ATCTT3xFfG', 'ATATT3xFfG'], base64, 24],
  [['npm_'], letters, 36],
  [['pypi-AgE'], dashed, 50],
  [['rubygems_'], hex, 40],
  [['dckr_pat_', 'dckr_oat_'], dashed, 24],
  // Clouds.
  [['AKIA', 'ASIA'], capitals, 16],
  [['AIza'], dashed, 35],
  [['GOCSPX-'], dashed, 24],
  [['ya29.'], dotted, 30],
  [['dop_v1_', 'doo_v1_', 'dor_v1_'], hex, 60],
  [['HRKU-'], dashed, 36],
  [['dapi'], hex, 32],
  [['hvs.', 'hvb.', 'hvr.'], dashed, 24],
  [['dp.pt.', 'dp.st.', 'dp.ct.'], dotted, 36],
  [['sbp_'], hex, 40],
  [['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'], dotted, 30],
  [['nfp_'], letters, 36],
  [['tskey-'], dashed, 20],
  [['AGE-SECRET-KEY-1'], capitals, 50],
  // Services.
  [
    ['xoxa-', 'xoxb-', 'xoxc-', 'xoxd-', 'xoxe-', 'xoxe.', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-'],
    dotted,
    10,
  ],
  [['xapp-'], dashed, 20],
  [['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'], word, 16],
  [['whsec_'], base64, 32],
  [['SG.'], dotted, 60],
  ['0123456789abcdef'.split('').map((digit) => `SK${digit}`), hex, 31],
  [['shpat_', 'shpca_', 'shppa_', 'shpss_'], letters, 32],
  [['sq0atp-', 'sq0csp-'], dashed, 22],
  [['PMAK-'], dashed, 50],
  [['NRAK-'], capitals, 27],
  [['glsa_', 'glc_'], base64, 32],
  [['sntrys_', 'sntryu_'], base64, 40],
  [['lin_api_'], letters, 36],
  [['figd_'], dashed, 36],
  // Models.
  [['hf_'], letters, 30],
  [['gsk_'], letters, 40],
  [['r8_'], letters, 36],
  [['xai-', 'pplx-'], letters, 40],
];

/** A name that says what its value is, and enough bytes of one kind behind it. The name stays. */
const named: readonly (readonly [Prefixes, KeyRule['body'], shortest: number])[] = [
  [
    ['aws_secret_access_key', 'AWS_SECRET_ACCESS_KEY', 'SecretAccessKey', 'secretAccessKey'],
    base64,
    40,
  ],
  [['aws_session_token', 'AWS_SESSION_TOKEN', 'SessionToken', 'sessionToken'], base64, 64],
  [['AccountKey', 'SharedAccessKey'], base64, 40],
  [['X-Amz-Signature', 'X-Amz-Security-Token', 'X-Goog-Signature'], inAddress, 40],
  [['_authToken', '_password'], base64, 16],
  [['TWILIO_AUTH_TOKEN', 'twilio_auth_token'], hex, 32],
];

/** Words in front of what they announce; what follows may be an ordinary word. The prefix stays. */
const announced: readonly (readonly [
  Prefixes,
  KeyRule['body'],
  shortest: number,
  KeyRule['isKey'],
])[] = [
  [['Bearer ', 'bearer ', 'BEARER '], classOf(`${alphanumeric}._~+/=-`), 16, isMixed],
  [['Basic ', 'basic ', 'BASIC '], classOf(`${alphanumeric}+/=`), 8, isCredentials],
  [['sig=', 'Signature='], inAddress, 43, isMixed],
  [['hooks.slack.com/services/'], classOf(`${alphanumeric}/`), 20, isMixed],
];

export const shapes: readonly Shape[] = [
  ...keys.flatMap(([prefixes, body, shortest]) =>
    prefixes.map((prefix) => keyShape(prefix, { body, shortest, isKey: isAnything })),
  ),
  keyShape('sk-', { body: dashed, shortest: 20, isKey: isMixed }),
  ...named.flatMap(([names, body, shortest]) =>
    names.map((name) => ({
      ...keyShape(name, { body, shortest, gap, isKey: isAnything }),
      isAnywhere: true,
    })),
  ),
  ...announced.flatMap(([prefixes, body, shortest, isKey]) =>
    prefixes.map((prefix) => keyShape(prefix, { body, shortest, shown: prefix.length, isKey })),
  ),
  {
    // JSON Web Tokens: a head that is JSON (`{"`), and more behind a dot.
    prefix: ascii('eyJ'),
    isAnywhere: false,
    match: matchSigned({ part: dashed, shortestPart: 8, longestHead: 1024, all: dotted }),
  },
  {
    prefix: ascii('://'),
    isAnywhere: true,
    match: matchPassword({
      authority: printableBut('/?#"\'`<>\\'),
      longest: 256,
      shortest: 3,
      notFirst: classOf('${*%['),
    }),
  },
  {
    // Four more dashes stand before it; lines of dashes are common, and this is not.
    prefix: ascii('-BEGIN '),
    isAnywhere: true,
    match: matchBlock({
      label: classOf(`${upperCase}${digits} `),
      longestLabel: 48,
      secret: ascii('PRIVATE KEY'),
    }),
  },
];

function keyShape(
  prefix: string,
  rule: Pick<KeyRule, 'body' | 'shortest' | 'isKey'> & Partial<KeyRule>,
): Shape {
  const match = matchKey({ shown: 0, gap: null, ...rule });
  return { prefix: ascii(prefix), isAnywhere: false, match };
}
