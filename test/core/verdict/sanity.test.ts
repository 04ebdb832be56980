import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../../src/core/config/schema.ts';
import { addedLines, judgeSanity } from '../../../src/core/verdict/sanity.ts';

const limits = defaultSettings().verify.sanity;
const mb = 1024 ** 2;

function verdicts(...args: Parameters<typeof judgeSanity>) {
  return Object.fromEntries(judgeSanity(...args).map(({ name, passed }) => [name, passed]));
}

const size = (bytes: number) => verdicts(limits, [{ path: 'a.bin', bytes }], [])['file-size'];

describe('sanity', () => {
  it('fails above 100 MB, warns above 10 MB', () => {
    expect([size(10 * mb), size(10 * mb + 1), size(100 * mb), size(100 * mb + 1)]).toEqual([
      true,
      null,
      null,
      false,
    ]);
  });

  it('warns of debugging code, notes and temporary files, and never fails for them', () => {
    const lines = [
      { file: 'a.ts', line: 3, text: '  debugger;' },
      { file: 'a.py', line: 4, text: 'x = 1  # TODO later' },
    ];
    expect(verdicts(limits, [{ path: 'a.orig', bytes: 1 }], lines)).toEqual({
      'file-size': true,
      'debug-leftovers': null,
      todo: null,
      'temporary-files': null,
    });
    const [, debug] = judgeSanity(limits, [], lines);
    expect(debug?.reason).toBe('warning: debugging code was added: a.ts:3: debugger;');
  });

  it('leaves prose alone', () => {
    const lines = [{ file: 'README.md', line: 1, text: 'TODO lists' }];
    expect(verdicts(limits, [], lines)['todo']).toBe(true);
  });
});

describe('added lines of a patch', () => {
  it('carry file and number, and nothing that was there before', () => {
    const patch = `diff --git a/src/a.ts b/src/a.ts
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,4 @@
 TODO old
-gone
+new one
++++ b/fake.ts
 end
@@ -9 +10 @@ context
-x
+tenth
diff --git a/b.ts b/b.ts
--- a/b.ts
+++ /dev/null
@@ -1 +0,0 @@
-gone
`;
    expect(addedLines(patch)).toEqual([
      { file: 'src/a.ts', line: 2, text: 'new one' },
      { file: 'src/a.ts', line: 3, text: '+++ b/fake.ts' },
      { file: 'src/a.ts', line: 10, text: 'tenth' },
    ]);
  });

  it('never throw, whatever the text', () => {
    fc.assert(fc.property(fc.string(), (text) => Array.isArray(addedLines(text))));
  });
});
