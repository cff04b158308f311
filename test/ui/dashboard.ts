import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

export interface BuiltDashboard {
  readonly folder: string
  /** Of all files together, each compressed. */
  readonly gzipBytes: number
  remove(): void
}

/** The dashboard as it is shipped, built into a folder of its own. */
export async function buildDashboard(): Promise<BuiltDashboard> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-ui-'))
  await build({ configFile: fileURLToPath(new URL('../../src/ui/vite.config.ts', import.meta.url)), logLevel: 'error', build: { outDir: folder } })
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const gzipBytes = files.reduce((sum, { parentPath, name }) => sum + gzipSync(readFileSync(join(parentPath, name))).length, 0)
  return { folder, gzipBytes, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
