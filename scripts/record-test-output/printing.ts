import type { Recording } from './recordings.ts';

/** Runs of the suite whose tests print what another runner would; `name` is what they print. */
function runsOf(
  folder: string,
  common: Partial<Recording>,
  reporters: Readonly<Record<string, string>>,
  texts: Readonly<Record<string, readonly string[]>>,
): Recording[] {
  return Object.entries(texts).flatMap(([reporter, names]) =>
    names.flatMap((name) =>
      [false, true].map((isRed) => ({
        folder,
        suite: 'prints',
        ...common,
        name: `prints-${name}-${reporter}${isRed ? '-red' : ''}`,
        command: reporters[reporter] ?? '',
        env: { PRINTS: name, ...(isRed ? { RED: '1' } : {}) },
      })),
    ),
  );
}

export const printing: readonly Recording[] = [
  ...runsOf(
    'mocha',
    { npm: 'mocha@12.0.3' },
    {
      spec: 'mocha prints.cjs',
      dot: 'mocha --reporter dot prints.cjs',
      min: 'mocha --reporter min prints.cjs',
      progress: 'mocha --reporter progress prints.cjs',
      tap: 'mocha --reporter tap prints.cjs',
    },
    {
      spec: ['mocha-summary', 'junit'],
      dot: ['jest', 'pytest'],
      min: ['jest'],
      progress: ['cargo-red', 'pytest'],
      tap: ['go-red'],
    },
  ),
  ...runsOf(
    'pytest',
    { needs: 'pytest' },
    {
      quiet: 'pytest -p no:cacheprovider -q -s',
      'very-quiet': 'pytest -p no:cacheprovider -qq',
      shown: 'pytest -p no:cacheprovider -s',
    },
    { quiet: ['jest', 'go-red'], 'very-quiet': ['mocha'], shown: ['junit'] },
  ),
  ...runsOf(
    'phpunit',
    { needs: 'phpunit' },
    { testdox: 'phpunit --testdox PrintsTest.php' },
    { testdox: ['jest-line'] },
  ),
  ...runsOf(
    'rspec',
    { needs: 'rspec' },
    { doc: 'rspec -fd prints_spec.rb' },
    { doc: ['jest-line'] },
  ),
  ...runsOf('tap', { needs: 'perl' }, { perl: 'perl prints.pl' }, { perl: ['pytest'] }),
];
