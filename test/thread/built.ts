import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'
import type * as library from '../../src/index.ts'
import type { StoreRecipe } from '../../src/core/ports/ports.ts'
import type * as metrics from '../../src/metrics/index.ts'
import type * as postgresStore from '../../src/stores/postgres/index.ts'
import type * as sqliteStore from '../../src/stores/sqlite/index.ts'
import type * as engineThread from '../../src/thread/engine-thread.ts'
import type * as remoteEngine from '../../src/thread/remote-engine.ts'
import type * as remoteStore from '../../src/thread/remote-store.ts'
import type * as wiring from '../../src/wiring.ts'
import { builtPackage } from '../cli/built.ts'

interface Modules {
  readonly 'index.js': typeof library
  readonly 'metrics/index.js': typeof metrics
  readonly 'stores/postgres/index.js': typeof postgresStore
  readonly 'stores/sqlite/index.js': typeof sqliteStore
  readonly 'thread/engine-thread.js': typeof engineThread
  readonly 'thread/remote-engine.js': typeof remoteEngine
  readonly 'thread/remote-store.js': typeof remoteStore
  readonly 'wiring.js': typeof wiring
}

/** The package as it was built: an engine thread loads JavaScript, whatever this one does. */
export function builtModules() {
  const built = builtPackage()
  return {
    load: async <File extends keyof Modules>(file: File): Promise<Modules[File]> =>
      (await import(built.path(file))) as Modules[File],
    /** A store of a fixture, which gets the module of the SQLite store first. */
    recipe: (fixture: string, name: string, ...given: readonly unknown[]): StoreRecipe => ({
      module: new URL(`fixtures/${fixture}`, import.meta.url).href,
      name,
      given: [pathToFileURL(built.path('stores/sqlite/index.js')).href, ...given],
    }),
  }
}

/** A file in a folder of its own, until the test has ended. */
export function freshFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-thread-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'posthorn.db')
}
