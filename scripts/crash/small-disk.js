import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const sizeMegabytes = 48
const isInside = process.env.CRASH_OWN_MOUNTS === '1'
const isRoot = process.getuid?.() === 0

/**
 * Runs this program again in a mount namespace that ends with it; returns its exit code, or null if it is already
 * there, or cannot be.
 */
export async function runWithOwnMounts() {
  if (isInside || whyNoMounts() !== null) return null
  const endWithParent = fileURLToPath(new URL('preload/end-with-parent.js', import.meta.url))
  const child = spawn(
    'unshare',
    [...namespace(), process.execPath, '--import', endWithParent, ...process.argv.slice(1)],
    {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, CRASH_OWN_MOUNTS: '1' },
    },
  )
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  const [code] = await once(child, 'exit')
  return code ?? 1
}

/** A disk that can be filled and freed. Without the right to mount, files of one process that cannot grow: enough for SQLite only. */
export function makeSmallDisk(store) {
  const path = mkdtempSync(join(tmpdir(), 'posthorn-disk-'))
  chmodSync(path, 0o755)
  const close = () => rmSync(path, { recursive: true, force: true })
  if (isInside) return mountedDisk(path)
  const reason = whyNoMounts() ?? 'there is no way'
  const limited = spawnSync('prlimit', ['--version'])
  if (store === 'sqlite' && limited.status === 0) return limitedFiles(path, close)
  close()
  throw new Error(`Expected to be able to mount a small disk, got: ${reason}. Run it as root, or with CAP_SYS_ADMIN.`)
}

function mountedDisk(path) {
  const { status, stderr } = spawnSync(
    'mount',
    ['-t', 'tmpfs', '-o', `size=${sizeMegabytes}m,mode=755`, 'posthorn-crash', path],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`Expected to mount a disk of ${sizeMegabytes} MB, got: ${stderr.trim()}.`)
  const ballast = join(path, 'ballast')
  return {
    path,
    name: `a disk of ${sizeMegabytes} MB`,
    fillUp: () => writeUntilFull(ballast),
    free: () => rmSync(ballast, { force: true }),
    close() {
      spawnSync('umount', ['--lazy', path])
      rmSync(path, { recursive: true, force: true })
    },
  }
}

/** Writes until the disk is full, first in large steps, then in small ones. */
function writeUntilFull(ballast) {
  const file = openSync(ballast, 'a')
  try {
    for (const bytes of [1 << 20, 4_096]) {
      const block = Buffer.alloc(bytes, 1)
      for (let written = 0; written < sizeMegabytes << 20 && writes(file, block); written += bytes);
    }
  } finally {
    closeSync(file)
  }
}

function writes(file, block) {
  try {
    return writeSync(file, block) === block.length
  } catch (thrown) {
    if (thrown.code === 'ENOSPC') return false
    throw thrown
  }
}

function limitedFiles(path, close) {
  return {
    path,
    name: 'files that cannot grow (no disk can be mounted here)',
    fillUp: ({ pid, file }) => limitFiles(pid, statSync(`${file}-wal`).size),
    free: ({ pid }) => limitFiles(pid, 'unlimited'),
    close,
  }
}

function limitFiles(pid, bytes) {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`Expected to limit the files of process ${pid}, got: ${stderr.trim()}.`)
}

function namespace() {
  return ['--mount', '--propagation', 'private', ...(isRoot ? [] : ['--map-root-user'])]
}

function whyNoMounts() {
  const { status, stderr, error } = spawnSync(
    'unshare',
    [...namespace(), 'mount', '-t', 'tmpfs', '-o', 'size=1m', 'posthorn-crash', tmpdir()],
    { encoding: 'utf8' },
  )
  return status === 0 ? null : (error?.message ?? stderr.trim())
}
