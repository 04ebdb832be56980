import { defineConfig } from 'vitest/config';
import { unsteadyReporter } from './test/support/unsteady-reporter.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    // Tests mostly wait for processes and disks; the default leaves a machine of two cores half idle.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    restoreMocks: true,
    // Hundreds of real processes on shared machines: one unlucky moment is named by the reporter, several fail the run.
    retry: 2,
    reporters: ['default', unsteadyReporter()],
    env: { NO_COLOR: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
  },
});
