import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

// A fast run leaves out what needs another database, or a browser.
const fast = process.env['POSTHORN_TEST_FAST'] === '1'
// The only one that its package has a binary for.
const hasPostgres14 = process.platform === 'linux' && process.arch === 'x64'

export default defineConfig({
  resolve: {
    // Tests and examples import the package by its public names, and get the sources.
    alias: [
      { find: /^posthorn$/, replacement: source('index.ts') },
      { find: /^posthorn\/postgres$/, replacement: source('stores/postgres/index.ts') },
      { find: /^posthorn\/server$/, replacement: source('server/index.ts') },
      { find: /^posthorn\/sqlite$/, replacement: source('stores/sqlite/index.ts') },
      { find: /^posthorn\/testing$/, replacement: source('testing/index.ts') },
      { find: /^posthorn\/verify$/, replacement: source('verify.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: fast ? ['test/**/postgres*.test.ts', 'test/ui/**'] : hasPostgres14 ? [] : ['test/stores/postgres-14.test.ts'],
    globalSetup: fast ? [] : ['test/postgres-setup.ts'],
    testTimeout: 20_000,
    pool: 'forks',
    // The default leaves one core idle, which is half of a small machine.
    maxWorkers: 2,
  },
})
