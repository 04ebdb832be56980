import path from 'node:path';
import type { Loop } from '../core/loop/loop.ts';
import type { AgentRunner } from '../ports/agent.ts';
import type { Engine } from './engine.ts';

/** Once per project and agent: it acts without asking, and nothing is around it. */
export async function tellPermissions(
  { stateDir, artifacts, publish }: Engine,
  loop: Loop,
  { name, permissions }: AgentRunner,
): Promise<void> {
  if (permissions !== 'bypassed' || loop.settings.sandbox.level !== 'off') return;
  const told = path.join(stateDir, `told-permissions-${name.replaceAll(/[^\w.-]/g, '_')}`);
  if ((await artifacts.readTail(told, 1)) !== null) return;
  const text = `${name} acts without asking for permission and without a sandbox: it can do whatever you can (\`sandbox: bubblewrap\` sets limits)`;
  publish({ kind: 'notice', text });
  await artifacts.write(told, '');
}
