import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Settings } from '../../config/settings.ts'
import type { Store } from '../../core/ports/ports.ts'
import { plannedDelays } from '../../core/delivery/retry-policy.ts'
import type { RetryPolicy } from '../../core/delivery/retry-policy.ts'
import { second } from '../../core/time.ts'
import { Posthorn } from '../../posthorn.ts'
import type { PosthornOptions } from '../../posthorn.ts'
import { receiver } from '../../testing/receiver.ts'
import { databaseAt } from '../database.ts'
import { misbehave, sampleEndpoints, sendsBeforeDead } from './sample-endpoints.ts'

/** What `posthorn dev` runs and shows: a Posthorn on a temporary database, or on yours. */
export interface DevSetup {
  readonly posthorn: Posthorn
  readonly store: Store
  readonly title: string
  /** Null on your own database: nothing is sent there but your own messages. */
  readonly samples: Samples | null
  close(): Promise<void>
}

export interface Samples {
  /** Creates the endpoints and sends the first twenty. */
  sendAll(): Promise<void>
  send(name: string): Promise<void>
  /** Messages accepted so far. */
  readonly accepted: number
  /** No sample takes longer than this from its first attempt to its end. */
  readonly longestMs: number
}

/** Options added by the command's server. */
type OwnParts = Pick<PosthornOptions, 'ownPort' | 'meter'>

/** Your own database with your settings: no samples, no receiver, no fast retries. */
export async function setupOnDatabase(databaseUrl: string, settings: Settings, own: OwnParts): Promise<DevSetup> {
  const database = databaseAt(databaseUrl, settings)
  const store = await database.openStore()
  const title = `Posthorn dev · ${database.shown}`
  return {
    posthorn: new Posthorn({ ...settings, store, ...own }),
    store,
    title,
    samples: null,
    close: async () => undefined,
  }
}

const delaysMs = [2, 4, 8].map((delay) => delay * second)
const devPolicy: RetryPolicy = {
  name: 'dev',
  delays: { kind: 'list', delaysMs },
  jitterShare: 0,
  maxAttempts: sendsBeforeDead,
}
const devPollMs = 250
// Longer than the slow path takes to answer, and short enough to watch a hanging one time out.
const devTimeoutMs = 5 * second
const slackMs = 10 * second

/** A temporary database with a receiver that misbehaves, retries in seconds, and samples to send there. */
export async function setupWithSamples(settings: Settings, given: Partial<Settings>, own: OwnParts): Promise<DevSetup> {
  const store = await databaseAt(`sqlite:${join(temporaryFolder(), 'posthorn.db')}`, settings).openStore()
  const { pollMs = devPollMs, timeoutMs = devTimeoutMs } = given
  const posthorn = new Posthorn({
    ...settings,
    store,
    ...own,
    pollMs,
    timeoutMs,
    policies: { [devPolicy.name]: devPolicy },
    allowUnsafeRetryDelays: true,
    allowedTargets: [...settings.allowedTargets, '127.0.0.0/8', '::1/128'],
  })
  // Only when nothing can be refused any more: a listening server keeps the process alive.
  const local = await receiver({ keepReceipts: false })
  misbehave(local)
  const longestMs =
    plannedDelays(devPolicy).reduce((sum, delay) => sum + delay, 0) +
    devPolicy.maxAttempts * (timeoutMs + pollMs) +
    slackMs
  return {
    posthorn,
    store,
    title: `Posthorn dev · receiver ${local.url('')} · temporary database`,
    samples: makeSamples(posthorn, local.url, longestMs),
    close: () => local.close(),
  }
}

/** Deleted when the process ends, however it ends. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-dev-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function makeSamples(posthorn: Posthorn, urlOf: (path: string) => string, longestMs: number): Samples {
  const application = 'dev'
  let accepted = 0

  async function send(name: string): Promise<void> {
    await posthorn.send({ application, type: `sample.${name}`, data: { number: accepted + 1 } })
    accepted += 1
  }

  return {
    send,
    longestMs,
    async sendAll() {
      for (const { name, sentence } of sampleEndpoints) {
        const settings = { url: urlOf(`/${name}`), types: [`sample.${name}`], policy: devPolicy.name }
        await posthorn.endpoints.create({ application, uid: name, description: sentence, ...settings })
      }
      for (const { name, samples } of sampleEndpoints) for (let count = 0; count < samples; count += 1) await send(name)
    },
    get accepted() {
      return accepted
    },
  }
}
