import { z } from 'zod';
import { lazy } from '../../lazy.ts';
import { section } from '../section.ts';
import { ByteSize, Count, Duration, InnerPath, Name, Pattern, shorthand, Text } from '../value.ts';

const timeout = lazy(() =>
  Duration().default(300_000).describe('Time for the command; a timeout is a failed check.'),
);
const exitCode = lazy(() => z.number().int().min(0).max(255).default(0));

const NamedCommand = lazy(() =>
  shorthand(
    z.strictObject({
      command: Text().describe('Shell command.'),
      timeout: timeout(),
      'success-exit-code': exitCode().describe('Exit code that passes.'),
    }),
    { type: 'string' },
    (value) => (typeof value === 'string' ? { command: value } : value),
  ),
);

export const Validation = section({
  command: () =>
    Text()
      .nullable()
      .default(null)
      .describe('Shell command that judges the work; the heart of level L1.'),
  commands: () =>
    z
      .record(Name(), NamedCommand())
      .default({})
      .describe('Further commands by name, run after `command`, each its own check.'),
  setup: () => Text().nullable().default(null).describe('Shell command before the checks.'),
  timeout: () => timeout(),
  'success-exit-code': () => exitCode().describe('Exit code of `command` that passes.'),
});

const SchemaRule = lazy(() =>
  z.discriminatedUnion('rule', [
    z.strictObject({
      rule: z.literal('has_field').describe('The field exists.'),
      file: InnerPath().describe('JSON or YAML file.'),
      field: Text().describe('Dotted path of the field.'),
    }),
    z.strictObject({
      rule: z.literal('field_type').describe('The field has a type.'),
      file: InnerPath().describe('JSON or YAML file.'),
      field: Text().describe('Dotted path of the field.'),
      type: z
        .enum(['string', 'number', 'boolean', 'array', 'object', 'null'])
        .describe('Type of the field.'),
    }),
    z.strictObject({
      rule: z.literal('matches_regex').describe('The file, or one field of it, matches.'),
      file: InnerPath().describe('File to look at.'),
      field: Text().optional().describe('Dotted path of the field; the whole file when left out.'),
      pattern: Pattern().describe('Regular expression.'),
    }),
    z.strictObject({
      rule: z.literal('json_schema').describe('The file satisfies a JSON Schema.'),
      file: InnerPath().describe('JSON or YAML file.'),
      schema: InnerPath().describe('File with the schema.'),
    }),
  ]),
);

const Contracts = lazy(() =>
  z.strictObject({
    required: z
      .array(InnerPath())
      .default([])
      .describe('Files that must exist, as paths or globs.'),
    forbidden: z
      .array(InnerPath())
      .default([
        '**/.env',
        '**/.env.*',
        '**/secrets/**',
        '**/*.pem',
        '**/*.key',
        '**/credentials*.json',
      ])
      .describe('Files the loop must not add or change, as globs; ignored files do not count.'),
    rules: z.array(SchemaRule()).default([]).describe('Rules for the content of files.'),
    naming: z
      .array(
        z.strictObject({
          files: InnerPath().describe('Glob of the files.'),
          pattern: Pattern().describe('Regular expression their names must match.'),
        }),
      )
      .default([])
      .describe('Rules for the names of files.'),
  }),
);

const expected = lazy(() => ({
  exit_code: z.number().int().min(0).max(255).optional().describe('Exit code.'),
  json_schema: InnerPath().optional().describe('Schema file that stdout must satisfy.'),
  contains: Text().optional().describe('Text that stdout contains.'),
  matches_regex: Pattern().optional().describe('Regular expression that stdout matches.'),
  equals_file: InnerPath().optional().describe('File that stdout equals.'),
  json_equals: z.json().optional().describe('JSON value that stdout equals.'),
}));

const Fixture = lazy(() =>
  z.strictObject({
    name: Name().describe('Name of the check.'),
    command: Text().describe('Shell command to run.'),
    stdin: z.string().optional().describe('Text given on stdin.'),
    timeout: Duration().default(60_000).describe('Time for the command.'),
    expect: z
      .strictObject(expected())
      .refine((assertions) => Object.keys(assertions).length > 0, 'needs at least one assertion')
      .describe('What must hold; each key is one assertion.'),
  }),
);

const Sanity = lazy(() =>
  z.strictObject({
    'warn-file-size': ByteSize()
      .default(10 * 1024 ** 2)
      .describe('An added file above this size warns.'),
    'max-file-size': ByteSize()
      .default(100 * 1024 ** 2)
      .describe('An added file above this size fails.'),
  }),
);

/** Configuration of this program, CI, and keys. */
const protectedPaths = [
  'loopwright.yml',
  'loopwright.yaml',
  'loopwright/types/**',
  'loopwright/prompts/**',
  '.loopwright/**',
  '.github/workflows/**',
  '.github/actions/**',
  '.gitlab-ci.yml',
  '.circleci/**',
  '.buildkite/**',
  '.travis.yml',
  '.drone.yml',
  'azure-pipelines.yml',
  'bitbucket-pipelines.yml',
  'Jenkinsfile',
  '.woodpecker/**',
  '.forgejo/workflows/**',
  '**/*.pem',
  '**/*.key',
  '**/id_rsa',
  '**/id_ed25519',
];

const Feedback = lazy(() =>
  z.strictObject({
    'max-failures': Count().default(10).describe('Failures told to the next iteration.'),
    'failure-chars': Count().default(500).describe('Characters of each failure.'),
    'feedback-chars': Count().default(4000).describe('Characters of all failures together.'),
    'max-file-references': Count().default(5).describe('File references told.'),
  }),
);

export const Verify = section({
  'clean-room': () =>
    z
      .boolean()
      .default(false)
      .describe(
        'Run the checks in a detached worktree of the snapshot with a minimal environment.',
      ),
  integrity: () =>
    z
      .enum(['off', 'warn', 'strict'])
      .default('strict')
      .describe(
        'What happens when tests of the base are gone or skipped, or programs that judge were changed.',
      ),
  protected: () =>
    z
      .array(InnerPath())
      .default([...protectedPaths])
      .describe(
        'Paths the agent cannot change: restored before the snapshot and reported. Unless `verify.integrity` is `off`, so are scripts that a check, a gate, or an npm script or make rule of theirs names, if their name speaks of checking (`check.sh`, `scripts/verify.mjs`, `ci/run`); list all others, such as `tools/run.sh`, here: `+protected: [tools/run.sh]`.',
      ),
  allow: () =>
    z
      .array(InnerPath())
      .default([])
      .describe('Paths and tests that may change in spite of integrity, as globs.'),
  judge: () =>
    z
      .array(InnerPath())
      .default([])
      .describe(
        'Files that judge the work and are not recognised as such, as globs: `qa/**`. `loopwright judge` lists what is recognised and why.',
      ),
  product: () =>
    z
      .array(InnerPath())
      .default([])
      .describe(
        'Files that are taken for a part of the judge and are what the work is about, as globs: `src/testing/**`. A file that `verify.judge` names as well judges.',
      ),
  baseline: () =>
    z
      .enum(['run', 'skip', 'allow-broken'])
      .default('run')
      .describe(
        'Whether the untouched base is verified first; `skip` always needs the claim. A check that cannot run on the base blocks the loop, unless `allow-broken` says that the task is to make it run.',
      ),
  confirm: () =>
    z
      .enum(['off', 'judge'])
      .default('judge')
      .describe(
        'Run the checks once more before a loop completes, in a clean place and with everything that judges as on the base. A completion without it is unproven.',
      ),
  proof: () =>
    z
      .enum(['off', 'prefer', 'require'])
      .default('prefer')
      .describe(
        'On a green base: ask for a test that fails without the change (`prefer`), go on until there is one (`require`), or do not ask (`off`).',
      ),
  hidden: () =>
    z
      .record(Name(), NamedCommand())
      .default({})
      .describe(
        'Commands by name that run only when a loop is confirmed. The agent is told their names and nothing else: keep what they run outside of the repository.',
      ),
  'require-claim': () =>
    z
      .enum(['auto', 'always', 'never'])
      .default('auto')
      .describe("Whether completion needs the agent's claim; `auto`: when the baseline was green."),
  'require-diff': () =>
    z
      .boolean()
      .default(true)
      .describe('Whether completion needs a tree that differs from the base.'),
  'retries-on-fail': () =>
    Count().max(10).default(0).describe('How often a failed check is run again.'),
  'track-file-changes': () =>
    z
      .boolean()
      .default(true)
      .describe(
        'Record which files an iteration changed; `false` keeps their number alone, and no patch.',
      ),
  'parse-tests': () =>
    z.boolean().default(true).describe('Read test counts from the output of checks.'),
  contracts: () =>
    Contracts().prefault({}).describe('L0: required and forbidden files, content, names.'),
  fixtures: () => z.array(Fixture()).default([]).describe('L2: commands seen from outside.'),
  sanity: () => Sanity().prefault({}).describe('L3: sizes of added files.'),
  feedback: () => Feedback().prefault({}).describe('What the next iteration is told of failures.'),
});
