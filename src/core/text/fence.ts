/** The text as a Markdown code block whose fence is longer than any run of backticks in the text. */
export function fence(text: string, info = ''): string {
  const marks = '`'.repeat(Math.max(3, longestRun(text) + 1));
  const label = info.replaceAll(/[`\r\n]/g, '').trim();
  const lastBreak = text === '' || text.endsWith('\n') ? '' : '\n';
  return `${marks}${label}\n${text}${lastBreak}${marks}`;
}

function longestRun(text: string): number {
  let longest = 0;
  let run = 0;
  for (let i = text.indexOf('`'); i !== -1 && i < text.length; i++) {
    if (text.charCodeAt(i) === 0x60) {
      run++;
      longest = Math.max(longest, run);
      continue;
    }
    run = 0;
    i = text.indexOf('`', i) - 1;
    if (i < 0) break;
  }
  return longest;
}
