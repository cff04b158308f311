import type { sections } from '../../src/cli/command-table.ts'

export function referencePages(parts: {
  readonly root: string
  readonly sections: typeof sections
  readonly overview: string
  readonly document: { readonly [name: string]: unknown }
}): Readonly<Record<string, string>>
