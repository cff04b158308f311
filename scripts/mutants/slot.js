import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { patched } from './patch.js'

const leftOut = new Set(['.git', '.test', 'dist', 'node_modules'])

/** A copy of the project that holds one defect at a time. The packages are shared. */
export function makeSlot(root) {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-mutants-'))
  cpSync(root, folder, { recursive: true, filter: (path) => !leftOut.has(relative(root, path)) })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return {
    folder,
    /** Plants a defect; returns a function that removes it. */
    plant(mutant) {
      const path = join(folder, mutant.file)
      const text = readFileSync(path, 'utf8')
      writeFileSync(path, patched(text, mutant))
      return () => writeFileSync(path, text)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
