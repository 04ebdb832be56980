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
  {
    ...nodeTest,
    family,
    name: 'the file of the base branch written by hand',
    steps: [
      touchJs,
      run(`${weaken}; git commit -qam wip; git rev-parse HEAD > @ROOT@/.git/refs/heads/main`),
    ],
    insists: true,
  },
  {
    ...nodeTest,
    family,
    name: 'the packed refs written by hand',
    steps: [
      touchJs,
      run(
        `${weaken}; git commit -qam wip; git pack-refs --all; sed -i "s|^[0-9a-f]* refs/heads/main|$(git rev-parse HEAD) refs/heads/main|" @ROOT@/.git/packed-refs`,
      ),
    ],
    insists: true,
  },
  {
    ...nodeTest,
    family,
    name: 'the base moved by a git that tells nothing',
    steps: [
      touchJs,
      run(
        `${weaken}; git commit -qam wip; env -i PATH="$PATH" git update-ref refs/heads/main HEAD`,
      ),
    ],
    insists: true,
  },
  {
    ...nodeTest,
    family,
    name: 'the base moved, and the record of it removed',
    steps: [
      touchJs,
      run(
        `${weaken}; git commit -qam wip; git update-ref refs/heads/main HEAD; rm -rf @ROOT@/.git/logs "$GIT_TRACE2_EVENT"`,
      ),
    ],
    insists: true,
  },
  {
    ...nodeTest,
    family,
    name: 'a commit on the base in a worktree of its own making',
    steps: [
      touchJs,
      run(
        `git worktree add -qf @OUT@/other main && cd @OUT@/other && ${weaken} && git commit -qam 'test: fix'`,
      ),
      run(weaken),
    ],
    insists: true,
  },
  {
    ...nodeTest,
    family,
    name: 'the base is another name of the branch of the loop',
    steps: [
      touchJs,
      run(
        `${weaken}; git commit -qam wip; git symbolic-ref refs/heads/main "$(git symbolic-ref HEAD)"`,
      ),
    ],
    insists: true,
  },
  {
    ...nodeTest,
    family,
    name: 'a folder of the base overwritten in the store of objects',
    steps: [
      touchJs,
      run(
        `old=$(git rev-parse HEAD:test); ${weaken}; git add test; weak=$(git rev-parse "$(git write-tree):test"); dir="$(git rev-parse --git-common-dir)/objects"; path() { echo "$dir/$(echo $1 | cut -c1-2)/$(echo $1 | cut -c3-)"; }; chmod u+w "$(path $old)"; cp "$(path $weak)" "$(path $old)"`,
      ),
    ],
  },
];
