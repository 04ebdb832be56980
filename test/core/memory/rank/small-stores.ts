/** Learnings of one invented project with the task each is an obvious answer to, and tasks of other projects. */
export type SmallCase = {
  readonly content: string;
  readonly path: string;
  readonly title: string;
  readonly description: string;
};

const subject = (content: string, path: string, title: string, description: string): SmallCase => ({
  content,
  path,
  title,
  description,
});

export const smallCases: readonly SmallCase[] = [
  subject(
    'parseInvoice rounds half cents down; use roundHalfEven from money.ts or the totals drift',
    'src/billing/parse-invoice.ts',
    'fix(billing): parseInvoice is off by one cent',
    'The totals of src/billing/parse-invoice.ts differ from the bank by a cent.',
  ),
  subject(
    'The webhook signature is computed over the raw body; a body parser before it breaks verifySignature',
    'src/webhook/verify-signature.ts',
    'webhook: verifySignature rejects valid deliveries',
    'Deliveries with umlauts fail in `verifySignature`.',
  ),
  subject(
    'Playwright screenshots differ between machines unless the font Inter is bundled',
    'e2e/screenshot.spec.ts',
    'Make the Playwright screenshots stable',
    'e2e/screenshot.spec.ts is flaky: the pictures differ by a few pixels.',
  ),
  subject(
    'SQLITE_BUSY during a migration means that the pool still holds a reader; close the pool first',
    'src/db/migrate.ts',
    'Migration fails with SQLITE_BUSY',
    'Starting twice in a row, src/db/migrate.ts says SQLITE_BUSY.',
  ),
  subject(
    'The tarball needs the shebang line, otherwise npx cannot start the binary',
    'scripts/pack-tarball.ts',
    'npx cannot start the packed tarball',
    'The shebang gets lost in scripts/pack-tarball.ts.',
  ),
  subject(
    'Timezone offsets of calendar entries come from the venue and never from the browser',
    'src/calendar/entry-offset.ts',
    'calendar: entries an hour late in another timezone',
    'Wrong offset of calendar entries when the venue is abroad.',
  ),
];

/** What fills a store up to its size: the same project, other subjects. */
export const fillers: readonly { readonly content: string; readonly path: string }[] = [
  'avatar uploads|crop the picture before it is scaled, else the edges blur',
  'search suggestions|debounce keystrokes by 150 ms, the backend throttles above it',
  'coupon codes|compare them case-insensitively and trimmed',
  'geocoding|the provider answers in longitude, latitude order',
  'newsletter|unsubscribe links carry an HMAC of the address',
  'thumbnails|libvips leaks file handles unless the pipeline is destroyed',
  'oauth login|the nonce lives in the session and dies with it',
  'pdf export|embed subsets of fonts only, viewers choke on variable ones',
  'inventory|reservations expire by a cron at midnight of the warehouse',
  'rate limiter|token buckets are kept in redis with a lua script',
  'dark mode|read prefers-color-scheme once, before hydration',
  'translations|plural forms of polish need four keys',
  'shipping labels|the carrier wants grams and millimetres',
  'audit trail|rows are append-only, corrections are new rows',
  'video player|hls manifests must not be gzipped twice',
  'feature toggles|evaluate them on the edge, the origin has no cohort',
  'password reset|links are single-use and bound to the fingerprint',
  'csv importer|excel writes a byte order mark and semicolons',
  'maps|cluster markers above zoom level nine only',
  'chat|presence heartbeats need jitter against thundering herds',
  'taxes|swiss rates changed in january, old orders keep theirs',
  'barcode scanner|ean eight and upc collide without a prefix',
  'push notifications|tokens rotate silently on android',
  'accessibility|dialogs trap the focus and give it back',
  'wishlist|merge the anonymous one at sign-in',
  'refunds|partial ones keep the invoice number with a suffix',
  'sitemap|split above fifty thousand addresses',
  'reviews|profanity lists are per locale',
  'kiosk|the printer needs a line feed after the cut command',
].map((line) => {
  const [name = '', text = ''] = line.split('|');
  return { content: `${name}: ${text}`, path: `src/${name.replaceAll(' ', '-')}/rules.ts` };
});

/** Tasks that none of these learnings helps with, though they share the words of all software. */
export const foreignTasks: readonly { readonly title: string; readonly description: string }[] = [
  {
    title: 'Add a borrow checker pass for closures',
    description:
      'Closures that capture a mutable reference twice must be an error in the compiler.',
  },
  {
    title: 'kernel: panic when the scheduler tick is disabled',
    description: 'With nohz_full the idle thread never wakes up; see kernel/sched/core.c.',
  },
  {
    title: 'Fix the test and update the file',
    description: 'The test fails with an error. Make sure that it works before the next release.',
  },
  {
    title: 'Improve the error message when a function gets the wrong type',
    description: 'Users are confused by the current text; check the value first and return early.',
  },
  {
    title: 'Render ligatures in the terminal emulator',
    description: 'HarfBuzz shaping for runs of glyphs, behind a flag.',
  },
];
