import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { makeId } from '../../src/core/ids.ts'
import type { IdKind } from '../../src/core/ids.ts'
import type { Store } from '../../src/core/ports/ports.ts'
import type { Envelope } from '../../src/core/ports/queue.ts'
import { sqlite } from '../../src/stores/sqlite/index.ts'
import type { SqliteOptions } from '../../src/stores/sqlite/index.ts'
import { seededRandom } from '../../src/testing/seeded-random.ts'

export const noon = Date.UTC(2026, 0, 1, 12)

const random = seededRandom(11)

export function newId(kind: IdKind): string {
  return makeId(kind, noon, random)
}

/** A path in a folder of the test's own, which goes when the test ends. */
export async function freshPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-sqlite-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'posthorn.db')
}

/** What the file holds and the files beside it, files with keys apart; the driver may just remove the log of a closed one. */
export async function contentsBeside(path: string): Promise<Buffer> {
  const names = (await readdir(dirname(path))).filter((name) => !name.endsWith('key'))
  return Buffer.concat(await Promise.all(names.map((name) => readIfThere(join(dirname(path), name)))))
}

async function readIfThere(file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw thrown
  }
}

/** An open store that is closed when the test ends. */
export async function openStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  const store = sqlite(path, { synchronous: 'off', ...options })
  await store.open()
  onTestFinished(() => store.close())
  return store
}

/** An application to send for. */
export async function anApplication(store: Store): Promise<string> {
  const id = newId('app')
  await store.directory.createApplication({
    id,
    uid: null,
    name: 'Acme',
    metadata: {},
    ratePerSecond: null,
    createdAt: noon,
    updatedAt: noon,
  })
  return id
}

/** A message of an application with one delivery, not leased. */
export function anEnvelope(applicationId: string, change: { endpointId?: string } = {}): Envelope {
  return {
    message: {
      id: newId('msg'),
      applicationId,
      type: 'invoice.paid',
      eventId: null,
      body: Uint8Array.of(123, 125),
      contentType: 'application/json',
      sessionId: null,
      channels: [],
      createdAt: noon,
      traceContext: null,
      erasedAt: null,
    },
    idempotencyKey: null,
    bodyHash: 'hash',
    endpointsVersion: 1,
    reliesOn: [],
    deliveries: [
      {
        id: newId('dlv'),
        endpointId: change.endpointId ?? 'ep_one',
        targetUrl: 'https://acme.example/hooks',
        policy: 'standard',
        nextRetryAt: noon,
        leased: false,
      },
    ],
  }
}

export function enqueued(...envelopes: readonly Envelope[]): {
  owner: string
  leaseMs: number
  now: number
  envelopes: readonly Envelope[]
} {
  return { owner: 'anna', leaseMs: 30_000, now: noon, envelopes }
}
