import { stringify } from 'yaml';
import { parseYaml } from '../../adapters/files/yaml-text.ts';
import { resolveSettings } from '../../core/config/layers.ts';
import { wrap } from '../render/wrap.ts';
import type { Choice } from './choice.ts';
import type { Findings } from './findings.ts';

export const configFile = 'loopwright.yml';

/**
 * The commented file for a choice. Comments explain what was found and why it is proposed. Throws `config.invalid`
 * when the choice cannot be written down as valid configuration.
 */
export function renderConfig(choice: Choice, findings: Findings): string {
  const sections = [
    comment(
      'How loops work in this repository. `loopwright config show --origin` shows every key with its value and where it comes from; `loopwright config validate` checks this file.',
    ),
    agentSection(choice, findings),
    validationSection(choice, findings),
    workspaceSection(choice, findings),
    sandboxSection(choice),
    limitSection(choice),
  ];
  const text = sections.filter((section) => section !== '').join('\n');
  const { tree, places } = parseYaml(text, configFile);
  resolveSettings([{ name: 'project', tree, places, source: { file: configFile } }]);
  return text;
}

function agentSection({ agent }: Choice, { agents }: Findings): string {
  const heading = comment('Who does the work. `loopwright agents list` shows what is installed.');
  if (agent === null) {
    const none = comment('None of claude, codex, gemini, opencode and pi was found on PATH.');
    return `${heading}${none}# agent: claude\n`;
  }
  const others = agents.filter(({ name }) => name !== agent.spec).map(({ name }) => name);
  const found = others.length === 0 ? '' : comment(`Also installed: ${others.join(', ')}.`);
  const named = `${heading}${found}${entry('agent', agent.spec)}`;
  if (agent.command === null) return named;
  const why = comment(
    'This version drives it as a plain command: the prompt comes on stdin, and what it prints is its answer.',
    '  ',
  );
  return `${named}\nagents:\n${why}  ${agent.spec}:\n${entry('command', agent.command, '    ')}`;
}

function validationSection({ validation }: Choice, { tests }: Findings): string {
  const heading = comment(
    'The proof. The engine runs this after every iteration, and only its success makes a loop complete.',
  );
  if (validation === null) {
    const none = comment('No test command was found: set one before the first `loopwright run`.');
    return `${heading}${none}# validation:\n#   command: npm test\n`;
  }
  const chosen = tests.find(({ command }) => command === validation);
  const others = tests.filter((test) => test !== chosen);
  const lines = [
    ...(chosen === undefined ? [] : [`Found by: ${chosen.because}.`]),
    ...(others.length === 0
      ? []
      : [`Also found: ${others.map(({ command }) => command).join(', ')}.`]),
  ];
  const notes = lines.map((line) => comment(line, '  ')).join('');
  return `${heading}validation:\n${notes}${entry('command', validation, '  ')}  # timeout: 5m\n`;
}

function workspaceSection(choice: Choice, { place, files }: Findings): string {
  const parts: string[] = [];
  if (choice.dir !== null) {
    const why = choice.dir === place?.dir ? comment(`Outside: ${place.because}.`, '  ') : '';
    parts.push(`${why}${entry('dir', choice.dir, '  ')}`);
  }
  if (choice.setup !== null) {
    const because = choice.setup === files.setup ? files.because : null;
    const why = because === null ? '' : comment(`Not linked: ${because}.`, '  ');
    parts.push(`${why}${entry('setup', choice.setup, '  ')}`);
  }
  if (choice.link.length > 0) parts.push(entry('link', choice.link, '  '));
  if (choice.copy.length > 0) parts.push(entry('copy', choice.copy, '  '));
  const heading = comment(
    'Every loop works in a git worktree of its own; this makes the checks run there.',
  );
  const named = files.secrets.map((file) => `\`${file}\``).join(', ');
  const secrets = `Ignored files that may hold secrets stay out; add them to \`workspace.copy\` if the checks need them: ${named}`;
  const left = files.secrets.length === 0 ? '' : comment(secrets, parts.length === 0 ? '' : '  ');
  return parts.length === 0 ? left : `${heading}workspace:\n${parts.join('')}${left}`;
}

function sandboxSection({ sandbox }: Choice): string {
  if (sandbox === 'off') return '';
  const heading = comment(
    'How far agents and checks are kept apart from the rest of this machine.',
  );
  return `${heading}${entry('sandbox', sandbox)}`;
}

function limitSection({ budget: { loop, run } }: Choice): string {
  const heading = comment('Where a loop ends at the latest.');
  const limits = '# limits:\n#   max-iterations: 100\n';
  if (loop === null && run === null) {
    const run20 = '#   run: { max-cost-usd: 20 }\n';
    return `${heading}${limits}# budget:\n#   max-cost-usd: 5\n${run20}#   max-duration: 4h\n`;
  }
  const perLoop = `${comment('US dollars for one loop.', '  ')}${loop === null ? '  # max-cost-usd: 5\n' : `  max-cost-usd: ${loop}\n`}`;
  const perRun = `${comment('US dollars for everything that one run, or one life of the daemon, starts.', '  ')}${run === null ? '  # run: { max-cost-usd: 20 }\n' : `  run: { max-cost-usd: ${run} }\n`}`;
  return `${heading}${limits}budget:\n${perLoop}${perRun}  # max-duration: 4h\n`;
}

const commentColumns = 100;

function comment(text: string, indent = ''): string {
  return `${wrap(text, commentColumns, `${indent}# `)}\n`;
}

function entry(key: string, value: string | readonly string[], indent = ''): string {
  const text = stringify({ [key]: value }, { lineWidth: 0, collectionStyle: 'any' });
  return text.replaceAll(/^(?=.)/gm, indent);
}
