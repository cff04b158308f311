import { onTestFinished } from 'vitest'
import { Posthorn } from 'posthorn'
import type { PosthornOptions, Store } from 'posthorn'
import { postgres } from 'posthorn/postgres'
import { handler } from 'posthorn/server'
import type { Handler, HandlerOptions, Incident } from 'posthorn/server'
import { sqlite } from 'posthorn/sqlite'
import { manualClock, scriptedTransport } from 'posthorn/testing'
import type { ManualClock, ScriptedTransport } from 'posthorn/testing'
import { countedStore } from '../acceptance/counted-store.ts'
import { isFast, lentSchema } from '../postgres.ts'

/** What came back: the status, the headers, and the body read as JSON (null if there is none). */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

export interface Asked {
  readonly token?: string | null
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The HTTP API without a network, on a clock that a test moves; its calls bear a key that may do everything. */
export interface ServerWorld {
  readonly posthorn: Posthorn
  readonly clock: ManualClock
  /** Answers 200 once the posthorn is started, unless scripted. */
  readonly transport: ScriptedTransport
  readonly incidents: readonly Incident[]
  /** Answers as the server does, in the place of `fetch`. */
  readonly answer: Handler
  call(method: string, path: string, asked?: Asked): Promise<Reply>
  /** A key of the given kind. */
  token(kind?: {
    application?: string
    access?: 'read' | 'write'
    expiresAt?: number
    portal?: { featureFlags: string[] }
  }): Promise<string>
}

export const adminKey = 'an-admin-key-of-the-test'

/** The databases that the server must be the same on. */
export const databases: readonly ('sqlite' | 'postgres')[] = isFast ? ['sqlite'] : ['sqlite', 'postgres']

export async function serverWorld(
  options: HandlerOptions = {},
  database: 'sqlite' | 'postgres' = 'sqlite',
  more: Partial<PosthornOptions> = {},
): Promise<ServerWorld> {
  const clock = manualClock()
  const transport = scriptedTransport(clock)
  const counted = countedStore(storeOf(database))
  clock.attend(counted.underWay)
  const posthorn = new Posthorn({ store: counted.store, clock, transport, ...more })
  onTestFinished(() => posthorn.stop())
  const incidents: Incident[] = []
  const answer = handler(posthorn, {
    adminKey,
    publicUrl: 'http://posthorn.test',
    report: (incident) => incidents.push(incident),
    warn: () => undefined,
    ...options,
  })
  return {
    posthorn,
    clock,
    transport,
    incidents,
    answer,
    call: (method, path, asked = {}) => call(answer, method, path, asked),
    async token(kind = {}) {
      const { token } = await posthorn.keys.create({ name: 'of a test', ...kind })
      return token
    },
  }
}

async function call(
  answer: (request: Request) => Promise<Response>,
  method: string,
  path: string,
  { token = adminKey, body, headers = {} }: Asked,
): Promise<Reply> {
  const text =
    body === undefined ? null : typeof body === 'string' || body instanceof ReadableStream ? body : JSON.stringify(body)
  const request = new Request(`http://posthorn.test${path}`, { method, headers, body: text, duplex: 'half' })
  if (token !== null) request.headers.set('authorization', `Bearer ${token}`)
  const response = await answer(request)
  // A stream never ends by itself.
  if (response.headers.get('content-type') === 'text/event-stream') {
    await response.body?.cancel()
    return { status: response.status, headers: response.headers, body: null }
  }
  const said = await response.text()
  return { status: response.status, headers: response.headers, body: said === '' ? null : JSON.parse(said) }
}

function storeOf(database: 'sqlite' | 'postgres'): Store {
  if (database === 'sqlite') return sqlite(':memory:', { plaintextSecrets: true })
  const { url, schema } = lentSchema()
  return postgres(url, { schema, plaintextSecrets: true })
}
