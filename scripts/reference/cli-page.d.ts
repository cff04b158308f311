import type { sections } from '../../src/cli/command-table.ts'

export function cliPage(given: typeof sections, overview: string): string
