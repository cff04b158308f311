import { createRequire } from 'node:module'
import { messageOf, PosthornError } from '../../core/errors.ts'
import type { SqliteDriver } from './driver.ts'

/** The common interface of `@photostructure/sqlite` and `node:sqlite`. */
interface DriverModule {
  readonly DatabaseSync: new (path: string, options?: { readonly timeout?: number }) => SqliteDriver
}

/** Loads a module by its name, or throws. */
type Load = (name: string) => unknown

const driverPackage = '@photostructure/sqlite'
// Before this version, a WAL checkpoint could lose committed writes.
const oldestVersion = '3.51.3'
let loaded: DriverModule | undefined

/** Opens a file with the installed driver, or with Node's own. */
export function openDriver(path: string, options: { readonly timeout?: number } = {}): SqliteDriver {
  loaded ??= loadDriver(createRequire(import.meta.url), process.versions)
  return new loaded.DatabaseSync(path, options)
}

/**
 * The package if it is installed, so that every Node version writes with the same SQLite; otherwise `node:sqlite`, if its SQLite is safe.
 * Loaded with the first file, not with this module: users of PostgreSQL do not need it.
 */
export function loadDriver(
  load: Load,
  { node, sqlite }: { readonly node: string; readonly sqlite?: string },
): DriverModule {
  try {
    return load(driverPackage) as DriverModule
  } catch (cause) {
    if (sqlite !== undefined && isSafe(sqlite)) return load('node:sqlite') as DriverModule
    const [reason = ''] = messageOf(cause).split('\n')
    const ofNode = sqlite === undefined ? 'no SQLite' : `SQLite ${sqlite}, which can lose committed writes`
    throw new PosthornError(
      'driver_missing',
      `Expected a driver of SQLite, got "${reason}", and Node ${node} has ${ofNode}. Install it: npm install ${driverPackage}; or use a Node with SQLite ${oldestVersion} or later, such as 24.`,
      { cause },
    )
  }
}

/** Refuses a SQLite version that can lose committed writes. */
export function checkVersion(version: string): void {
  if (isSafe(version)) return
  throw new PosthornError(
    'store_too_old',
    `Expected SQLite ${oldestVersion} or later, got ${version}. Older ones can lose committed writes: upgrade ${driverPackage}, or the driver that \`open\` uses.`,
  )
}

function isSafe(version: string): boolean {
  return asNumber(version) >= asNumber(oldestVersion)
}

function asNumber(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  return major * 1_000_000 + minor * 1_000 + patch
}
