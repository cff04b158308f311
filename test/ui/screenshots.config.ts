import { defineConfig } from 'vitest/config'
import tests from '../../vitest.config.ts'

// Runs what makes the pictures of the documents, and no test.
export default defineConfig({ ...tests, test: { include: ['test/ui/screenshots.ts'], pool: 'forks' } })
