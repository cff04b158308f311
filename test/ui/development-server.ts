import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import type { World } from './world.ts'

export interface DevelopmentServer {
  readonly url: string
  /** What was asked for, in order: "POST /api/v1/job". */
  readonly requests: { readonly what: string; readonly body: unknown }[]
  world: World
  /** Sends an event to every open live tail. */
  tell(type: string, data: Record<string, unknown>): void
  close(): Promise<void>
}

export const contentSecurityPolicy = "default-src 'self'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'self'; frame-ancestors 'none'; form-action 'self'"

const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.html': 'text/html; charset=utf-8' }

/** Serves the built dashboard below a base path, and answers the API out of a world kept in memory. */
export async function serveDashboard(folder: string, world: World, basePath = '/'): Promise<DevelopmentServer> {
  const tails = new Set<ServerResponse>()
  const requests: DevelopmentServer['requests'] = []
  const server = createServer((request, response) => {
    answer(request, response).catch((thrown: unknown) => {
      response.writeHead(500).end(JSON.stringify({ code: 'broken', detail: String(thrown) }))
    })
  })
  const own: DevelopmentServer = {
    url: '', requests, world,
    tell(type, data) {
      for (const open of tails) open.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
    },
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost')
    response.setHeader('content-security-policy', contentSecurityPolicy)
    const path = url.pathname.slice(basePath.length)
    if (!path.startsWith('api/v1/')) return page(path, response)
    const body = await bodyOf(request)
    requests.push({ what: `${request.method} ${url.pathname}`, body })
    if (path === 'api/v1/stream') return tail(response)
    const [status, value] = operate(own.world, request.method ?? 'GET', path.slice('api/v1/'.length), url.searchParams, body)
    response.writeHead(status, { 'content-type': 'application/json' }).end(value === null ? '' : JSON.stringify(value))
  }

  function page(path: string, response: ServerResponse): void {
    const file = join(folder, path)
    if (path.startsWith('assets/') && existsSync(file)) {
      response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' })
      createReadStream(file).pipe(response)
      return
    }
    const html = readFileSync(join(folder, 'index.html'), 'utf8').replace('<base href="/" />', `<base href="${basePath}" />`)
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html)
  }

  function tail(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(': open\n\n')
    tails.add(response)
    response.on('close', () => tails.delete(response))
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(own, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${basePath}` })
}

type Reply = [status: number, value: unknown]

const notFound: Reply = [404, { code: 'not_found', detail: 'There is no such thing. It may have been pruned.' }]

function operate(world: World, method: string, path: string, query: URLSearchParams, body: unknown): Reply {
  if (path === 'session' && method === 'POST') return signIn(world, body)
  if (world.session === null) return [401, { code: 'unauthorized', detail: 'The session has ended. Sign in again.' }]
  const [kind = '', id = '', verb = ''] = path.split('/')
  switch (kind) {
    case 'session':
      if (method === 'DELETE') world.session = null
      return method === 'DELETE' ? [204, null] : [200, world.session]
    case 'overview':
      return [200, world.overview]
    case 'endpoint':
      return id === '' ? [200, list(world.endpoints.filter(({ url }) => url.includes(query.get('text') ?? '')))] : one(world.endpoints, id)
    case 'delivery':
      return delivery(world, method, id, verb, query)
    case 'dead-letter':
      return [200, { data: world.deadLetters, counted: world.deadLetters.reduce((sum, { count }) => sum + count, 0), atLeast: false }]
    case 'job':
      return job(world, method, id, verb, body)
    case 'audit':
      return [200, list(world.audit)]
    case 'key':
      return method === 'POST' ? [201, { ...world.keys[0], token: 'ph_live_new' }] : [200, list(world.keys)]
    case 'event-type':
      return [200, list(world.eventTypes)]
    case 'config':
      return [200, world.config]
    case 'auth':
      return [200, { url: 'http://127.0.0.1/login#key=ph_portal', token: 'ph_portal' }]
    case 'app':
      return application(world, method, path, body)
    default:
      return notFound
  }
}

function signIn(world: World, body: unknown): Reply {
  if ((body as { key?: string }).key !== 'ph_right') return [401, { code: 'unauthorized', detail: 'This key is not known, or it has ended.' }]
  world.session = { caller: { name: 'ops@acme.example', applicationId: null, access: 'write' }, dev: false }
  return [204, null]
}

function delivery(world: World, method: string, id: string, verb: string, query: URLSearchParams): Reply {
  if (id === '') {
    const statuses = query.getAll('status')
    const found = world.deliveries.filter(
      ({ status, endpointId, eventType }) =>
        (statuses.length === 0 || statuses.includes(status)) && (query.get('endpoint') ?? endpointId) === endpointId && (query.get('event_type') ?? eventType) === eventType,
    )
    return [200, { ...list(found.slice(0, Number(query.get('limit') ?? 50))), ...(query.has('text') ? { searched: found.length } : {}) }]
  }
  const index = world.deliveries.findIndex((each) => each.id === id)
  const found = world.deliveries[index]
  if (found === undefined) return notFound
  if (method === 'GET') return verb === 'curl' ? [200, { command: `curl -X POST ${found.targetUrl}` }] : [200, found]
  const changed = verb === 'requeue' ? { status: 'pending', attemptCount: 0, reason: null } as const : { status: 'dead', reason: 'cancelled' } as const
  world.deliveries[index] = { ...found, ...changed, why: { code: 'next_in_line', sentence: verb === 'requeue' ? 'Due, and leaves as soon as a worker has room.' : 'Cancelled by a person.' } }
  return [200, world.deliveries[index]]
}

function job(world: World, method: string, id: string, verb: string, body: unknown): Reply {
  if (method === 'GET') return id === '' ? [200, list(world.jobs)] : one(world.jobs, id)
  if (id === '') {
    const asked = body as { action: 'requeue'; filter: Record<string, unknown>; dryRun?: boolean; reason?: string }
    const { endpoint, reason } = asked.filter
    const matching = world.deadLetters.filter((group) => (endpoint ?? group.endpointId) === group.endpointId && (reason ?? group.reason) === group.reason)
    const size = asked.filter['ids'] === undefined ? matching.reduce((sum, { count }) => sum + count, 0) : (asked.filter['ids'] as string[]).length
    if (asked.dryRun === true) return [200, { matching: size }]
    const made = { ...world.jobs[0]!, id: `job_new${world.jobs.length}`, action: asked.action, filter: asked.filter, state: 'done' as const, matching: size, done: size, ratePerSecond: null, etaSeconds: null }
    world.jobs.unshift(made)
    return [202, made]
  }
  const states = { pause: 'paused', resume: 'running', cancel: 'cancelled' } as const
  world.jobs = world.jobs.map((each) => (each.id === id ? { ...each, state: states[verb as 'pause'] } : each))
  return one(world.jobs, id)
}

function application(world: World, method: string, path: string, body: unknown): Reply {
  const [, app = '', , endpoint = '', verb = '', more = ''] = path.split('/')
  if (method === 'GET' && verb === 'secret') return [200, { key: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }]
  if (method === 'GET') return app === '' ? [200, list([{ id: 'app_2Nq4', uid: 'acme', name: 'Acme Shop' }])] : [200, { id: app, uid: null, name: app }]
  if (method === 'POST' && endpoint === '' && path.endsWith('/endpoint')) {
    const made = { ...world.endpoints[0]!, id: 'ep_new', ...(body as object) }
    world.endpoints.push(made)
    return [201, made]
  }
  if (verb === 'send-example') return [200, { id: 'msg_test' }]
  if (verb === 'replay') return [202, world.jobs[0]]
  const statuses: Readonly<Record<string, 'active' | 'paused' | 'disabled'>> = { pause: 'paused', resume: 'active', enable: 'active', disable: 'disabled' }
  const status = statuses[verb]
  if (status !== undefined) world.endpoints = world.endpoints.map((each) => (each.id === endpoint ? { ...each, status } : each))
  return more === 'rotate' || verb === 'headers' || method === 'DELETE' ? [204, null] : one(world.endpoints, endpoint)
}

function one(items: readonly { readonly id: string }[], id: string): Reply {
  const found = items.find((item) => item.id === id)
  return found === undefined ? notFound : [200, found]
}

function list<Item>(data: readonly Item[]): { data: readonly Item[]; iterator: string | null; prevIterator: null; done: boolean } {
  return { data, iterator: null, prevIterator: null, done: true }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text === '' ? null : JSON.parse(text)
}
