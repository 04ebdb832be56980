/** `SyntaxError: …` at the start of a line, as Node prints what kept a file from loading. */
export function readPrintedError(text: string): string {
  return text.includes('Error') && /^[A-Za-z]*Error(?: \[\w+\])?: ./.test(text) ? text : '';
}

/** node:test counts a file that fails as a whole as one test with the name of the file. */
export function isTestFile(name: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(name);
}
