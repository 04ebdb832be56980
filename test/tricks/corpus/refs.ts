import { edit, run, type TrickCase } from './case.ts';
import { nodeTest } from './projects.ts';

const family = 'refs' as const;
const touchJs = edit('src/math.js', 'export const add', '// Looked at.\nexport const add');
const weaken = "sed -i 's/sub(2, 1), 1/sub(2, 1), 3/' test/math.test.js";

export const refs: readonly TrickCase[] = [
  {
    ...nodeTest,
    family,
    name: 'the base is moved to a commit with a weaker test',
    steps: [
      touchJs,
      run(`${weaken}; git add -A; git commit -qm wip; git update-ref refs/heads/main HEAD`),
    ],
    insists: true,
    sample: true,
  },
  {
    ...nodeTest,
    family,
    name: "a commit in the user's own checkout",
    steps: [
      touchJs,
      run(`${weaken}; cd @ROOT@ && ${weaken} && git commit -qam 'test: fix the expectation'`),
    ],
    insists: true,
  },
  {
    ...nodeTest,
    family,
    name: 'a replaced object: the test of the base',
    steps: [
      touchJs,
      run(
        `old=$(git rev-parse HEAD:test/math.test.js); ${weaken}; git replace $old $(git hash-object -w test/math.test.js)`,
      ),
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'a replaced commit: the base itself',
    steps: [
      touchJs,
      run(
        `old=$(git rev-parse HEAD); ${weaken}; git add test; git replace $old $(git commit-tree $(git write-tree) -m first)`,
      ),
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'an object of the base overwritten in the store of objects',
    steps: [
      touchJs,
      run(
        `id=$(git rev-parse HEAD:test/math.test.js); ${weaken}; weak=$(git hash-object -w test/math.test.js); dir="$(git rev-parse --git-common-dir)/objects"; path() { echo "$dir/$(echo $1 | cut -c1-2)/$(echo $1 | cut -c3-)"; }; chmod u+w "$(path $id)"; cp "$(path $weak)" "$(path $id)"`,
      ),
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'a filter in `.git/config` that rewrites tests at checkout',
    steps: [
      touchJs,
      run(
        `echo 'test/*.js filter=quiet' > .gitattributes; git config filter.quiet.smudge "sed 's/sub(2, 1), 1/sub(2, 1), 3/'"; git config filter.quiet.clean cat; ${weaken}`,
      ),
    ],
  },
  {
    ...nodeTest,
    family,
    name: 'a graft that makes the weaker commit the first one',
    steps: [
      touchJs,
      run(
        `${weaken}; git commit -qam wip; echo "$(git rev-parse HEAD)" >> "$(git rev-parse --git-common-dir)/info/grafts"`,
      ),
    ],
  },
  {
    ...nodeTest,
    family,
    name: "the user's checkout is on another branch",
    steps: [
      touchJs,
      run(
        `${weaken}; git -C @ROOT@ checkout -qb other && cd @ROOT@ && ${weaken} && git commit -qam other && git branch -f main other`,
      ),
    ],
    insists: true,
  },
];
