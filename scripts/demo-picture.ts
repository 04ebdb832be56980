/**
 * Draws a recorded terminal as SVG: `node scripts/demo-picture.ts < recording > docs/demo.svg`.
 * Record with `script -qc "npm run -s demo" recording`; escape codes other than colours are resolved.
 */
import { readFileSync } from 'node:fs';

const columns = 96;
const charWidth = 8.4;
const lineHeight = 19;
const padding = 20;
const palette = {
  text: '#e6edf3',
  dim: '#8b949e',
  red: '#ff7b72',
  green: '#7ee787',
  yellow: '#e3b341',
};

type Span = { readonly text: string; readonly colour: string; readonly isBold: boolean };

const recording = readFileSync(0, 'utf8');
const lines = shownLines(recording).map(neutral).map(spansOf);
process.stdout.write(draw(lines));

/** What is left on the screen of each line: text before the last erase is gone. */
function shownLines(text: string): readonly string[] {
  const all = text
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/\r$/, '').split('\u001b[2K').at(-1) ?? '')
    .filter((line) => !line.startsWith('Script done'));
  const first = all.findIndex((line) => line.includes('Roman numerals work'));
  const last = all.findIndex((line) => line.startsWith('next:') || line.includes('\u001b[1mnext'));
  return all.slice(first, last === -1 ? undefined : last);
}

/** Paths of the machine the recording was made on say nothing to a reader. */
function neutral(line: string): string {
  return line
    .replace(/\/\S*\/bin\/node/g, 'node')
    .replace(/\/tmp\/[^/\s]+/g, '/tmp/loopwright-demo');
}

function spansOf(line: string): readonly Span[] {
  const spans: Span[] = [];
  let colour = palette.text;
  let isBold = false;
  for (const [index, part] of line.split('\u001b[').entries()) {
    const end = index === 0 ? -1 : part.indexOf('m');
    const code = part.slice(0, Math.max(0, end));
    if (code === '1') isBold = true;
    else if (code === '2') colour = palette.dim;
    else if (code === '22') [colour, isBold] = [palette.text, false];
    else if (code === '31') colour = palette.red;
    else if (code === '32') colour = palette.green;
    else if (code === '33') colour = palette.yellow;
    else if (code === '39' || code === '0') colour = palette.text;
    const text = part.slice(end + 1);
    if (text !== '') spans.push({ text, colour, isBold });
  }
  return spans;
}

function draw(all: readonly (readonly Span[])[]): string {
  const width = columns * charWidth + padding * 2;
  const height = all.length * lineHeight + padding * 2;
  const rows = all.map((spans, index) => {
    const y = padding + lineHeight * (index + 0.75);
    const text = spans
      .map(({ text: words, colour, isBold }) => {
        const weight = isBold ? ' font-weight="bold"' : '';
        return `<tspan fill="${colour}"${weight}>${escape(words)}</tspan>`;
      })
      .join('');
    return `<text x="${padding}" y="${y}" xml:space="preserve">${text}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A loop in the terminal">
<rect width="100%" height="100%" rx="10" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
${rows.join('\n')}
</g>
</svg>
`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
