import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { Posthorn } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import type { Handler, HandlerOptions, Incident } from 'posthorn/server'
import { manualClock } from 'posthorn/testing'
import type { ManualClock } from 'posthorn/testing'
import { systemClock } from '../../src/clock.ts'
import { handlerWith, partsOf } from '../../src/server/handler.ts'
import { makeApiLimits } from '../../src/server/http/api-limits.ts'
import type { ApiLimits } from '../../src/server/http/api-limits.ts'
import { startHttpServer } from '../../src/server/http/http-server.ts'
import type { Operation } from '../../src/server/operation.ts'
import { serve } from '../../src/server/request/pipeline.ts'
import type { AnsweredRequest } from '../../src/server/request/pipeline.ts'

/** The API on a port of this machine, with limits that a test chooses. */
export interface ApiWorld {
  readonly posthorn: Posthorn
  readonly clock: ManualClock
  readonly url: string
  readonly incidents: readonly Incident[]
  readonly answered: readonly AnsweredRequest[]
  /** A customer's link to the portal of an application. */
  portalKey(application: string): Promise<string>
  /** Begins a request, and leaves it at that. */
  begin(begun: Begun): Unfinished
}

export interface Begun {
  readonly path: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  /** What it says of its length; null for chunks. */
  readonly length: number | null
  readonly part?: string
  /** The address that it comes from. */
  readonly from?: string
}

export interface Unfinished {
  readonly socket: Socket
  /** The status that came back; null while there is none. */
  status(): number | null
}

export const adminKey = 'an-admin-key-of-the-test'

/** `only`: the one operation that is answered, in whatever form. */
export async function apiWorld(
  limits: Partial<ApiLimits> = {},
  options: HandlerOptions = {},
  only: Operation | null = null,
): Promise<ApiWorld> {
  const clock = manualClock()
  const posthorn = new Posthorn({ store: sqlite(':memory:', { plaintextSecrets: true }), clock })
  const incidents: Incident[] = []
  const answered: AnsweredRequest[] = []
  const server = await startHttpServer({ host: '127.0.0.1', port: 0, clock: systemClock })
  onTestFinished(async () => {
    await server.close()
    await posthorn.stop()
  })
  const all = { ...makeApiLimits(options, () => posthorn.now()), ...limits }
  const reports = {
    report: (each: Incident) => incidents.push(each),
    answered: (each: AnsweredRequest) => answered.push(each),
  }
  const given = { adminKey, ...reports, ...options }
  const parts = { ...partsOf(posthorn, '', given), limits: all }
  const answer: Handler =
    only === null
      ? handlerWith(posthorn, given, parts)
      : (request, connection) => serve(parts, only, request, { params: {}, connection })
  server.serve(answer, async () => undefined)
  return {
    posthorn,
    clock,
    url: server.url,
    incidents,
    answered,
    async portalKey(application) {
      await posthorn.applications.create({ uid: application })
      const { token } = await posthorn.keys.create({ name: application, application, portal: { featureFlags: [] } })
      return token
    },
    begin: (begun) => begin(server.port, begun),
  }
}

function begin(port: number, begun: Begun): Unfinished {
  const { path, token, length, part = '', from = '127.0.0.1' } = begun
  const socket = connect({ port, host: '127.0.0.1', localAddress: from })
  onTestFinished(() => void socket.destroy())
  let said = ''
  socket.on('data', (data) => (said += data.toString('latin1')))
  // Whoever is refused is also cut off; the test looks at what was answered.
  socket.on('error', () => undefined)
  const headers = {
    host: 'posthorn.test',
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(length === null ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(length) }),
    ...begun.headers,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${part}`)
  return {
    socket,
    status() {
      const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(said) ?? []
      return status === undefined ? null : Number(status)
    },
  }
}
