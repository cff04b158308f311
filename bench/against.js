// The build of another commit, in a folder of its own, with the packages of this tree.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** The commit's full name; null if there is none. */
export function commitNamed(name) {
  try {
    return git('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`)
  } catch {
    return null
  }
}

export function buildAt(commit) {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-against-'))
  const tree = join(folder, 'tree')
  const remove = () => {
    git('worktree', 'remove', '--force', tree)
    rmSync(folder, { recursive: true, force: true })
  }
  git('worktree', 'add', '--detach', '--quiet', tree, commit)
  try {
    symlinkSync(resolve('node_modules'), join(tree, 'node_modules'))
    execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
      cwd: tree,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
  } catch (error) {
    remove()
    throw error
  }
  return { dist: join(tree, 'dist'), remove }
}

function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
}
