import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import type { Settings } from '../../config/settings.ts'
import { expected } from '../../core/errors.ts'
import type { PosthornError } from '../../core/errors.ts'
import type { Store } from '../../core/ports/ports.ts'
import { Posthorn } from '../../posthorn.ts'
import type { Incident } from '../../server/errors/error-response.ts'
import { handler } from '../../server/handler.ts'
import { databaseAt } from '../database.ts'
import { makeClient } from './api-client.ts'
import type { ApiClient } from './api-client.ts'

const batchRows = 500
const turnMs = 5_000

/** The API in this process, on a database whose engine may run elsewhere: it stores, and delivers nothing. */
export async function localClient(
  databaseUrl: string,
  settings: Settings,
  say: (text: string) => void,
): Promise<ApiClient> {
  const named = databaseAt(databaseUrl, settings)
  refuseMissing(named.file, named.shown)
  const store = await named.openStore()
  const posthorn = new Posthorn({ ...settings, store })
  posthorn.on('warning', ({ message }) => say(`warning: ${message}`))
  let incident: Incident | null = null
  const answer = handler(posthorn, {
    authorize: () => ({ id: 'cli', name: userName(), applicationId: null, access: 'write', from: 'cli' }),
    publicUrl: settings.publicUrl,
    rateLimitPerSecond: 0,
    messagesPerSecondPerApplication: 0,
    strict: true,
    report: (reported) => void (incident = reported),
  })
  const client = makeClient({
    where: named.shown,
    baseUrl: 'http://localhost',
    headers: {},
    async send(request) {
      incident = null
      const response = await answer(request)
      // A remote caller must not see what went wrong here; the person running this command may.
      if (incident !== null) throw (incident as Incident).error
      return response
    },
    advance: (jobId) => advance(store, posthorn, jobId),
    close: () => posthorn.stop({ graceMs: 0 }),
  })
  return named.file === null ? client : { ...client, events: () => Promise.reject(cannotWatch(named.shown)) }
}

/** The process that delivers from a file emits its events only internally: a reader here would wait for ever. */
function cannotWatch(shown: string): PosthornError {
  return expected(
    'invalid_argument',
    'server',
    'given, to watch what happens on SQLite',
    `the file ${shown}`,
    'Add --server http://127.0.0.1:8071, or wherever it is served.',
  )
}

/** A read-only command would otherwise leave an empty database behind wherever it is called. */
function refuseMissing(file: string | null, shown: string): void {
  if (file === null || existsSync(file)) return
  const advice =
    'Choose it with --database or POSTHORN_DATABASE_URL, a server with --server, or create it: posthorn migrate'
  throw expected('invalid_argument', 'database', 'one that exists', shown, advice)
}

function userName(): string {
  try {
    return `cli:${userInfo().username}`
  } catch {
    // A container may run as a user without a name.
    return 'cli'
  }
}

/** One batch of a job, if nobody else has the turn: where an engine runs, the engine does it. */
async function advance({ queue, directory }: Store, posthorn: Posthorn, jobId: string): Promise<void> {
  const turn = { name: 'bulk', owner: posthorn.workerId }
  const job = await directory.job(jobId)
  // The engine decides what a replay sends.
  if (job === null || job.state !== 'running' || job.work.action === 'replay') return
  if (!(await queue.takeTurn({ ...turn, now: posthorn.now(), leaseMs: turnMs }))) return
  const advanced = await directory.advanceJob(jobId, batchRows, posthorn.now())
  if (advanced?.job.state !== 'running') await queue.takeTurn({ ...turn, now: posthorn.now(), leaseMs: 0 })
}
