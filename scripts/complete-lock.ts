/**
 * Completes package-lock.json with optional packages of other platforms: `node scripts/complete-lock.ts`.
 * A registry that does not offer them makes `npm install` leave them out, and `npm ci` then refuses the lock file.
 * A test fails when one is missing.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

type Entry = {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
};

type Lock = { packages: Record<string, Entry> };

const file = path.resolve(import.meta.dirname, '../package-lock.json');

/** Optional packages that entries name and the lock file does not have. */
export function missingOptional(lock: Lock): ReadonlyMap<string, Entry> {
  const missing = new Map<string, Entry>();
  for (const { optionalDependencies = {}, dev } of Object.values(lock.packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const key = `node_modules/${name}`;
      if (key in lock.packages) continue;
      missing.set(key, {
        version,
        ...(dev === true && { dev }),
        optional: true,
        ...platformOf(name),
      });
    }
  }
  return missing;
}

export function readLock(): Lock {
  const parsed: Lock = JSON.parse(readFileSync(file, 'utf8'));
  return parsed;
}

const systems = [
  'android',
  'darwin',
  'freebsd',
  'linux',
  'openharmony',
  'win32',
  'sunos',
  'aix',
  'netbsd',
  'openbsd',
];
const processors = [
  'arm64',
  'arm',
  'ia32',
  'x64',
  'ppc64',
  'riscv64',
  's390x',
  'loong64',
  'mips64el',
  'wasm32',
];

/** Platform packages are named for their platform: `@x/binding-linux-arm64-musl`. */
function platformOf(name: string): Pick<Entry, 'os' | 'cpu' | 'libc'> {
  const words = name.split('/').at(-1)?.split('-') ?? [];
  const os = systems.filter((each) => words.includes(each));
  const cpu = processors.filter((each) => words.includes(each));
  const libc = words.some((word) => word.startsWith('musl')) ? ['musl'] : [];
  const glibc =
    words.some((word) => word.startsWith('gnu')) && os.includes('linux') ? ['glibc'] : [];
  return {
    ...(os.length > 0 && { os }),
    ...(cpu.length > 0 && { cpu }),
    ...(libc.length + glibc.length > 0 && { libc: [...libc, ...glibc] }),
  };
}

if (process.argv[1] === import.meta.filename) {
  const lock = readLock();
  const missing = missingOptional(lock);
  const all = [...Object.entries(lock.packages), ...missing].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
  writeFileSync(
    file,
    `${JSON.stringify({ ...lock, packages: Object.fromEntries(all) }, null, 2)}\n`,
  );
  console.log(`${missing.size} packages added`);
}
