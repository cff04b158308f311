import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TestFile } from './spec-index.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export function readSpec(): string {
  return readFileSync(`${root}/docs/spec.md`, 'utf8')
}

/** The acceptance tests as text: the files here and below that end in `.test.ts`. */
export function readAcceptanceTests(): TestFile[] {
  const folder = `${root}/test/acceptance`
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'))
  return names.map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')])
}
