import { z } from 'zod';
import { lazy } from '../lazy.ts';

/** What a forge says about the runs for one commit. */
export type CiState =
  | { readonly kind: 'none' }
  | { readonly kind: 'running'; readonly text: string }
  | { readonly kind: 'passed'; readonly text: string }
  | { readonly kind: 'failed'; readonly text: string };

const GitHubRuns = lazy(() =>
  z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      conclusion: z.string().nullable(),
      url: z.string().optional(),
    }),
  ),
);

const goodConclusions: ReadonlySet<string> = new Set(['success', 'neutral', 'skipped']);

/** `gh run list --json name,status,conclusion,url`. Null when it is something else. */
export function readGitHub(json: string): CiState | null {
  const runs = parseWith(GitHubRuns(), json);
  if (runs === null) return null;
  if (runs.length === 0) return { kind: 'none' };
  const bad = runs.find(
    ({ status, conclusion }) => status === 'completed' && !goodConclusions.has(conclusion ?? ''),
  );
  if (bad !== undefined) {
    const text = `${bad.name}: ${bad.conclusion ?? 'no conclusion'} ${bad.url ?? ''}`.trim();
    return { kind: 'failed', text };
  }
  const open = runs.filter(({ status }) => status !== 'completed');
  if (open.length > 0) {
    return {
      kind: 'running',
      text: open.map(({ name, status }) => `${name}: ${status}`).join(', '),
    };
  }
  // Nothing but skipped runs has looked at nothing.
  if (!runs.some(({ conclusion }) => conclusion === 'success')) {
    return { kind: 'failed', text: 'every run was skipped' };
  }
  return { kind: 'passed', text: runs.map(({ name }) => name).join(', ') };
}

const GitLabPipelines = lazy(() =>
  z.array(z.object({ id: z.number(), status: z.string(), web_url: z.string().optional() })),
);

const endedBadly: ReadonlySet<string> = new Set(['failed', 'canceled', 'canceling', 'skipped']);

/** `glab api projects/:fullpath/pipelines?sha=...`: the newest pipeline counts. Null when it is something else. */
export function readGitLab(json: string): CiState | null {
  const pipelines = parseWith(GitLabPipelines(), json);
  if (pipelines === null) return null;
  const newest = pipelines.toSorted((a, b) => b.id - a.id)[0];
  if (newest === undefined) return { kind: 'none' };
  const text = `pipeline ${newest.id}: ${newest.status} ${newest.web_url ?? ''}`.trim();
  if (newest.status === 'success') return { kind: 'passed', text };
  return { kind: endedBadly.has(newest.status) ? 'failed' : 'running', text };
}

function parseWith<T>(schema: z.ZodType<T>, json: string): T | null {
  try {
    const parsed = schema.safeParse(JSON.parse(json));
    return parsed.success ? parsed.data : null;
  } catch {
    // Not JSON.
    return null;
  }
}
