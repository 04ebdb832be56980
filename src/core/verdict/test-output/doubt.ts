/**
 * Whether a line says that a command, a build or a threshold failed. Such a line is not a test, and a test may have
 * printed it; beside it no run is called green.
 */
export function raisesDoubt(line: string): boolean {
  switch (line.charCodeAt(0)) {
    case 0x6e: // n
      return /^npm (?:ERR!|error) (?:Test failed|code ELIFECYCLE|Lifecycle script|Exit status [1-9]|command failed)/.test(
        line,
      );
    case 0x20:
      return /^ ?(?:ELIFECYCLE|ERR_PNPM_\w+|ERROR) {2}\S/.test(line);
    case 0x65: // e
      return /^error (?:Command failed with (?:exit code|signal)|Command failed)|^error: (?:script "|test failed, to rerun|\d+ targets? failed)/.test(
        line,
      );
    case 0x23: // #
      return line.startsWith('##[error]');
    case 0x45: // E
      return /^Error: Process completed with exit code [1-9]|^ERROR: (?:Coverage for |Job failed|Coverage failure)|^Exited with code /.test(
        line,
      );
    case 0x6d: // m
      return /^g?make(?:\[\d+\])?: \*\*\* /.test(line);
    case 0x5b: // [
      return /^\[(?:INFO|ERROR)\] BUILD FAILURE/.test(line);
    case 0x42: // B
      return /^(?:BUILD FAILED|Build FAILED)/.test(line);
    case 0x54: // T
      return /^The command ".*" exited with [1-9]|^Terminated$|^Timed out/.test(line);
    case 0x4b: // K
      return line === 'Killed';
    case 0x53: // S
      return line.startsWith('Segmentation fault');
    case 0x46: // F
      return /^FATAL ERROR: |^FAIL Required test coverage /.test(line);
    case 0x4a: // J
      return /^Jest: .* threshold for .* not met/.test(line);
    case 0x72: // r
      return line.startsWith('rake aborted!');
    case 0x6c: // l
      return line.startsWith('lerna ERR! ');
    default:
      return false;
  }
}
