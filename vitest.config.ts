import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

export default defineConfig({
  resolve: {
    // Tests and examples import the package by its public names, and get the sources.
    alias: [
      { find: /^posthorn$/, replacement: source('index.ts') },
      { find: /^posthorn\/sqlite$/, replacement: source('stores/sqlite/index.ts') },
      { find: /^posthorn\/testing$/, replacement: source('testing/index.ts') },
      { find: /^posthorn\/verify$/, replacement: source('verify.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    pool: 'forks',
    // The default leaves one core idle, which is half of a small machine.
    maxWorkers: 2,
  },
})
