// How vitest runs the TypeScript tests. Vite's own configuration is for the page: its aliases and plugins would
// put Monaco's copy of TypeScript into tests that run under Node.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A machine that does something else besides is no fault of the page.
    expect: { poll: { timeout: 30_000 } },
  },
});
