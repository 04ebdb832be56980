import { matchesAny } from '../text/glob.ts';

/** Where the usual runners look for tests. */
const testFiles: readonly string[] = [
  '*.test.*',
  '*.spec.*',
  '*_test.*',
  '*_spec.*',
  'test_*.py',
  'test-*.*',
  '*Test.java',
  '*Tests.java',
  '*Test.kt',
  '*Test.php',
  '*Tests.cs',
  '*Test.cs',
  '**/test/**',
  '**/tests/**',
  '**/__tests__/**',
  '**/spec/**',
];

export function isTestFile(path: string): boolean {
  return matchesAny(path, testFiles);
}
