import type { ProjectFolder } from './project-folder.ts';
import type { TestCommand } from './test-command.ts';

const manifests = [
  'pyproject.toml',
  'setup.py',
  'setup.cfg',
  'requirements.txt',
  'Pipfile',
  'tox.ini',
];
const mentions = [
  ...manifests,
  'requirements-dev.txt',
  'dev-requirements.txt',
  'requirements/dev.txt',
];

/** Tests of Python projects: pytest in whatever environment the project uses, tox, unittest. */
export async function findPythonTests(folder: ProjectFolder): Promise<readonly TestCommand[]> {
  const { names } = folder;
  const isPython = [...manifests, 'pytest.ini', 'conftest.py'].some((name) => names.has(name));
  if (!isPython) return [];
  const because = await findPytest(folder);
  const tox = names.has('tox.ini') ? [{ command: 'tox', because: 'tox.ini' }] : [];
  if (because !== null) return [{ command: pytestCommand(names), because }, ...tox];
  if (tox.length > 0) return tox;
  const tests = ['tests/', 'test/'].find((name) => names.has(name));
  if (tests === undefined) return [];
  const command = `${python(names)} -m unittest discover -s ${tests.slice(0, -1)}`;
  return [{ command, because: `the folder ${tests} without a sign of pytest` }];
}

async function findPytest(folder: ProjectFolder): Promise<string | null> {
  const own = ['pytest.ini', 'conftest.py'].find((name) => folder.names.has(name));
  if (own !== undefined) return own;
  for (const file of mentions) {
    if ((await folder.read(file))?.includes('pytest') === true) return `pytest in ${file}`;
  }
  return (await folder.read('tests/conftest.py')) === null ? null : 'tests/conftest.py';
}

function pytestCommand(names: ReadonlySet<string>): string {
  if (names.has('uv.lock')) return 'uv run pytest';
  if (names.has('poetry.lock')) return 'poetry run pytest';
  if (names.has('pdm.lock')) return 'pdm run pytest';
  if (names.has('Pipfile')) return 'pipenv run pytest';
  // A package installed in editable mode is found in your checkout; the loop must test its own files.
  const path = names.has('src/') ? 'PYTHONPATH=src ' : '';
  return `${path}${python(names)} -m pytest`;
}

function python(names: ReadonlySet<string>): string {
  const environment = ['.venv/', 'venv/'].find((name) => names.has(name));
  return environment === undefined ? 'python3' : `${environment}bin/python`;
}
