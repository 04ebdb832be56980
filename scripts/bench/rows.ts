/** One measured program, as the scoreboard reads it. */
export type Row = {
  readonly adapter: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly hangEnv?: Readonly<Record<string, string>>;
};

const bare = '--in-place --no-commit --memory off --no-verify';
const weak = '--containment process-group';

/** The floors, the yardstick, and this program with and without its parts. */
export function measuredRows(cli: string): Readonly<Record<string, Row>> {
  const ours = (flags: string): Row => ({
    adapter: 'ours.sh',
    env: { OURS: cli, OURS_AGENT: 'command:claude -p', OURS_FLAGS: flags },
    hangEnv: { OURS_FLAGS: `${flags} --iteration-timeout 3s` },
  });
  return {
    'floor-bash': { adapter: 'floor-bash.sh' },
    'floor-bash-tee': { adapter: 'floor-bash-tee.sh' },
    'floor-node': { adapter: 'floor-node.mjs' },
    reference: { adapter: 'reference.mjs' },
    ours: ours(''),
    'ours-nocommit': ours('--no-commit'),
    'ours-bare': ours(bare),
    'ours-weak': ours(weak),
    'ours-nocommit-weak': ours(`--no-commit ${weak}`),
    'ours-bare-weak': ours(`${bare} ${weak}`),
  };
}
