import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { systemClock } from '../../clock.ts'
import type { Settings } from '../../config/settings.ts'
import type { Store } from '../../core/ports/ports.ts'
import { databaseAt } from '../database.ts'
import type { NamedDatabase } from '../database.ts'
import { runCheck } from './check.ts'
import type { Check } from './check.ts'

const latencySamples = 5
const slowMs = 100
const mostSkewMs = 1_000
const leastFreeBytes = 1024 ** 3
const workerGoneMs = 30_000

/** What can be seen of a database, from here. */
export async function databaseChecks(databaseUrl: string, settings: Settings): Promise<Check[]> {
  const database = databaseAt(databaseUrl, settings)
  if (database.file !== null && !existsSync(database.file)) {
    return [
      {
        name: 'database',
        ok: false,
        sentence: `${database.shown} does not exist. Choose another with --database, or create it: posthorn migrate`,
      },
    ]
  }
  const inspected = await runCheck('database', async () => {
    const { engine, schemaVersion, wantedVersion } = await database.inspect()
    const isCurrent = schemaVersion === wantedVersion
    const advice = schemaVersion < wantedVersion ? 'Run: posthorn migrate' : 'Upgrade this Posthorn.'
    return {
      ok: isCurrent,
      sentence: `${database.shown}, ${engine}, migrations ${schemaVersion} of ${wantedVersion}${isCurrent ? '' : `. ${advice}`}`,
    }
  })
  return [
    inspected,
    ...(inspected.ok ? await storeChecks(database) : []),
    ...(database.file === null ? [] : [await diskCheck(database.file)]),
    ...secretChecks(settings),
  ]
}

async function storeChecks(database: NamedDatabase): Promise<Check[]> {
  const store = await database.openStore()
  try {
    const opened = await runCheck('secrets', async () => {
      await store.open()
      return { ok: true, sentence: 'The key for endpoint secrets fits.' }
    })
    return opened.ok ? [opened, await latencyCheck(store), await clockCheck(store), await workerCheck(store)] : [opened]
  } finally {
    await store.close()
  }
}

function latencyCheck({ directory }: Store): Promise<Check> {
  return runCheck('latency', async () => {
    const tookMs: number[] = []
    for (let taken = 0; taken < latencySamples; taken += 1) {
      const startedAt = systemClock.now()
      await directory.listDeliveries({}, { limit: 1, after: null })
      tookMs.push(systemClock.now() - startedAt)
    }
    const medianMs = tookMs.toSorted((one, other) => one - other)[Math.floor(latencySamples / 2)] ?? 0
    const isFast = medianMs < slowMs
    return {
      ok: isFast,
      sentence: `The database answers within ${medianMs} ms.${isFast ? '' : ' That is slow: look at its load, disk and network.'}`,
    }
  })
}

function clockCheck(store: Store): Promise<Check> {
  return runCheck('clock', async () => {
    if (store.time === undefined) return { ok: true, sentence: 'SQLite goes by the clock of this machine.' }
    const startedAt = systemClock.now()
    const theirs = await store.time()
    const skewMs = Math.round(theirs - (startedAt + systemClock.now()) / 2)
    const isSmall = Math.abs(skewMs) < mostSkewMs
    const advice = isSmall ? '' : ' Set it; receivers refuse stale signatures.'
    return {
      ok: isSmall,
      sentence: `This machine's clock is ${Math.abs(skewMs)} ms ${skewMs > 0 ? 'behind' : 'ahead of'} the database's.${advice}`,
    }
  })
}

function workerCheck({ directory }: Store): Promise<Check> {
  return runCheck('workers', async () => {
    const now = systemClock.now()
    const alive = (await directory.workers()).filter(({ seenAt }) => now - seenAt < workerGoneMs)
    if (alive.length === 0)
      return { ok: false, sentence: 'No worker delivers from here. Start one: posthorn serve, or posthorn worker' }
    const names = alive.map(({ pid, host }) => `${pid} on ${host}`).join(', ')
    return {
      ok: true,
      sentence: `${alive.length} ${alive.length === 1 ? 'worker delivers' : 'workers deliver'}: ${names}.`,
    }
  })
}

function diskCheck(file: string): Promise<Check> {
  return runCheck('disk', async () => {
    const { bavail, bsize } = await statfs(dirname(file))
    const freeBytes = bavail * bsize
    const isEnough = freeBytes >= leastFreeBytes
    return {
      ok: isEnough,
      sentence: `${(freeBytes / 1024 ** 3).toFixed(1)} GiB are free beside ${file}.${isEnough ? '' : ' Make room: a full disk stops every send.'}`,
    }
  })
}

function secretChecks({ plaintextSecrets, allowUnsafeRetryDelays }: Settings): Check[] {
  return [
    ...(plaintextSecrets
      ? [
          {
            name: 'secrets',
            ok: false,
            sentence:
              'POSTHORN_PLAINTEXT_SECRETS keeps endpoint secrets unencrypted. Set POSTHORN_SECRETS_KEY instead.',
          },
        ]
      : []),
    ...(allowUnsafeRetryDelays
      ? [{ name: 'retries', ok: false, sentence: 'POSTHORN_ALLOW_UNSAFE_RETRY_DELAYS is set. Never in production.' }]
      : []),
  ]
}
