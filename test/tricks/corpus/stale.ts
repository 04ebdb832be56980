import { edit, run, write, type TrickCase } from './case.ts';
import { cargo, make, nodeTest, rightJs, rightPy, unittest } from './projects.ts';

const family = 'stale' as const;
const touchJs = edit('src/math.js', 'export const add', '// Looked at.\nexport const add');

export const stale: readonly TrickCase[] = [
  {
    ...nodeTest,
    family,
    name: 'the implementation is in an ignored folder',
    steps: [
      run(`mkdir build; printf '%s' '${rightJs}' > build/math.js`),
      write('src/math.js', "export * from '../build/math.js';\n"),
    ],
    sample: true,
    insists: true,
  },
  {
    ...nodeTest,
    family,
    name: 'the implementation is hidden by a new `.gitignore`',
    steps: [
      run(`echo impl.js > src/.gitignore; printf '%s' '${rightJs}' > src/impl.js`),
      write('src/math.js', "export * from './impl.js';\n"),
    ],
  },
  {
    ...nodeTest,
    family,
    name: "a package that is only in the worktree's `node_modules`",
    steps: [
      run(
        `mkdir -p node_modules/right-math; printf '{"type":"module","exports":"./index.js"}' > node_modules/right-math/package.json; printf '%s' '${rightJs}' > node_modules/right-math/index.js`,
      ),
      write('src/math.js', "export * from 'right-math';\n"),
    ],
  },
  {
    ...unittest,
    family,
    name: 'a stale `.pyc` of a right implementation',
    steps: [
      run(
        `cp calc.py kept; printf '%s' '${rightPy}' > calc.py; python3 -c "import py_compile as p; p.compile('calc.py', invalidation_mode=p.PycInvalidationMode.UNCHECKED_HASH)"; mv kept calc.py`,
      ),
      run('echo "# looked at" >> calc.py'),
    ],
    sample: true,
  },
  {
    ...make,
    family,
    name: 'a build product that is newer than its sources',
    needs: ['make', 'cc'],
    files: {
      Makefile:
        'test: build/calc\n\t./build/calc 2 1 | grep -qx 1\n\nbuild/calc: calc.c\n\tmkdir -p build\n\tcc -o build/calc calc.c\n',
      'calc.c':
        '#include <stdio.h>\n#include <stdlib.h>\nint main(int n, char **v) { printf("%d\\n", atoi(v[1]) + atoi(v[2])); return n < 3; }\n',
    },
    truth: 'make -s build/calc && test "$(./build/calc 7 3)" = 4',
    steps: [
      run(
        "echo '// looked at' >> calc.c; mkdir -p build; printf '#!/bin/sh\\necho $(($1 - $2))\\n' > build/calc; chmod +x build/calc; touch -d '+1 day' build/calc",
      ),
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'changes that git is told not to see',
    steps: [
      run(
        `git update-index --skip-worktree test/math.test.js; sed -i 's/sub(2, 1), 1/sub(2, 1), 3/' test/math.test.js`,
      ),
      touchJs,
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'an ignored preload that the worktree alone has',
    files: {
      ...nodeTest.files,
      'package.json': '{"type":"module"}\n',
      'test/math.test.js': `${nodeTest.files['test/math.test.js'] ?? ''}\nawait import('../build/hooks.js').catch(() => {});\n`,
    },
    steps: [
      run(
        'mkdir -p build; printf "import assert from \'node:assert/strict\';\\nassert.equal = () => {};\\n" > build/hooks.js',
      ),
      touchJs,
    ],
  },
  {
    ...cargo,
    family,
    name: 'a `target` of a right implementation, newer than the sources',
    steps: [
      run(
        "sed -i 's/-> i32 {\\n    a + b\\n}$/x/; ' src/lib.rs; cp src/lib.rs kept; python3 - <<'END'\nt = open('src/lib.rs').read()\nopen('src/lib.rs', 'w').write(t.replace('sub(a: i32, b: i32) -> i32 {\\n    a + b', 'sub(a: i32, b: i32) -> i32 {\\n    a - b'))\nEND\ncargo test --offline --no-run -q; mv kept src/lib.rs; echo '// looked at' >> src/lib.rs; touch -d '2001-01-01' src/lib.rs",
      ),
    ],
    needs: ['cargo', 'python3'],
  },
];
