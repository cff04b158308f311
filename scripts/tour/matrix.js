import { adminKey } from './server.js'

/** Tries every route of the server's own description with no key, a foreign key, a read-only and a writing one. Returns what was let through. */
export async function attack(url) {
  const world = await makeWorld(url)
  const routes = await routesOf(url)
  const leaks = []
  let tried = 0
  for (const column of columns) {
    for (const route of routes) {
      if (column.isSpared(route)) continue
      const answer = await ask(url, route, world, column.token(world))
      tried += 1
      const leak = answer.status >= 500 ? `answered ${answer.status}` : column.leak(route, answer, world)
      if (leak !== null) leaks.push(`${column.name}: ${route.method} ${route.path} ${leak}`)
    }
  }
  return { tried, leaks }
}

// After logging out nothing more could be tried; and everybody may end their own sessions.
const isLogout = ({ path, method }) =>
  ['/api/v1/auth/logout', '/api/v1/session/sign-out-everywhere'].includes(path) ||
  (path === '/api/v1/session' && method === 'DELETE')
const isRead = ({ method }) => method === 'GET'
const isWithinApplication = ({ path }) =>
  (/\{(app|delivery|job)_id\}/.test(path) && !path.startsWith('/api/v1/auth/')) || path === '/api/v1/job'

const columns = [
  {
    name: 'no key',
    token: () => null,
    isSpared: ({ isPublic }) => isPublic,
    leak: (_route, { status }) => (status === 401 ? null : `answered ${status}`),
  },
  {
    name: 'foreign key',
    token: ({ foreign }) => foreign,
    isSpared: ({ isPublic, ...route }) => isPublic || isLogout(route),
    leak: (route, { status, text }, { canary }) => {
      if (text.includes(canary)) return 'showed what is not its own'
      return status < 400 && (route.path.includes('{app_id}') || !isRead(route)) ? `answered ${status}` : null
    },
  },
  {
    name: 'read key',
    token: ({ reader }) => reader,
    isSpared: ({ isPublic, ...route }) => isPublic || isLogout(route),
    leak: (route, { status, text }, { secret }) => {
      if (text.includes(secret)) return 'showed a secret'
      return status < 400 && !isRead(route) ? `answered ${status}` : null
    },
  },
  {
    name: 'write key',
    token: ({ writer }) => writer,
    isSpared: ({ isPublic, ...route }) => isPublic || isLogout(route),
    leak: (route, { status, text }, { otherCanary }) => {
      if (text.includes(otherCanary)) return 'showed what is not its own'
      return status < 400 && !isRead(route) && !isWithinApplication(route) ? `answered ${status}` : null
    },
  },
]

/** Deletions come last, longest path first: what is inside something is deleted before it. */
async function routesOf(url) {
  const { paths } = await (await fetch(`${url}/api/v1/openapi.json`)).json()
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security, operationId }]) => ({
      path,
      method: method.toUpperCase(),
      operationId,
      isPublic: security?.length === 0,
    })),
  )
  return routes.toSorted((one, other) => rank(one) - rank(other))
}

function rank({ method, path }) {
  return method === 'DELETE' ? 1_000 - path.length : 0
}

function adminOf(url) {
  const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
  return {
    async create(path, body) {
      const response = await fetch(`${url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      if (response.ok) return response.json()
      throw new Error(`Expected POST ${path} to be answered well, got ${response.status}: ${await response.text()}`)
    },
    async read(path) {
      const response = await fetch(`${url}/api/v1${path}`, { headers })
      return response.json()
    },
  }
}

/** Two customers, each with their own things, and three keys. */
async function makeWorld(url) {
  const [canary, otherCanary] = ['canary-of-mine', 'canary-of-another']
  const secret = Buffer.alloc(32, 9).toString('base64')
  const { create, read } = adminOf(url)
  async function customer(name) {
    const { id: app_id } = await create('/app', { name, metadata: { name } })
    // Paused: nothing is sent from here.
    const endpoint = {
      url: `http://127.0.0.1:1/${name}`,
      description: name,
      secret: `whsec_${secret}`,
      paused: true,
      headers: { 'x-name': name },
    }
    const { id: endpoint_id } = await create(`/app/${app_id}/endpoint`, endpoint)
    const { id: msg_id } = await create(`/app/${app_id}/msg`, {
      eventType: 'invoice.paid',
      payload: { name },
      eventId: name,
    })
    const { id: task_id } = await create(`/app/${app_id}/endpoint/${endpoint_id}/recover`, {
      since: new Date(0).toISOString(),
    })
    const {
      data: [{ id: delivery_id }],
    } = await read(`/delivery?application=${app_id}`)
    return { app_id, endpoint_id, msg_id, task_id, delivery_id, job_id: task_id }
  }
  const key = async (appId, access) => (await create('/key', { name: 'of the matrix', appId, access })).token
  const mine = await customer(canary)
  const another = await customer(otherCanary)
  return {
    canary,
    otherCanary,
    secret,
    params: {
      ...mine,
      attempt_id: `atmpt_${'0'.repeat(25)}`,
      event_type_name: 'invoice.paid',
      key_id: `key_${'0'.repeat(19)}`,
    },
    foreign: await key(another.app_id, 'write'),
    reader: await key(mine.app_id, 'read'),
    writer: await key(mine.app_id, 'write'),
  }
}

const bodies = {
  'v1.application.create': { name: 'made by the matrix' },
  'v1.application.update': { name: 'changed' },
  'v1.endpoint.create': { url: 'http://127.0.0.1:1/' },
  'v1.endpoint.update': { url: 'http://127.0.0.1:1/' },
  'v1.endpoint.update-headers': { headers: {} },
  'v1.endpoint.patch-headers': { headers: {} },
  'v1.endpoint.send-example': { eventType: 'invoice.paid' },
  'v1.endpoint.recover': { since: '2026-01-01T00:00:00Z' },
  'v1.endpoint.replay': { since: '2026-01-01T00:00:00Z' },
  'v1.endpoint.replay-missing': { since: '2026-01-01T00:00:00Z' },
  'v1.endpoint.bulk-replay': { since: '2026-01-01T00:00:00Z' },
  'v1.event-type.create': { name: 'of.the.matrix', description: '' },
  'v1.event-type.update': { description: '' },
  'v1.message.create': { eventType: 'invoice.paid', payload: {} },
  'v1.key.create': { name: 'of the matrix' },
}

function bodyOf(operationId, { app_id }) {
  return operationId === 'v1.job.create'
    ? { action: 'requeue', filter: { application: app_id } }
    : (bodies[operationId] ?? {})
}

async function ask(url, { method, path, operationId }, { params }, token) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name) => params[name] ?? 'unknown')
  const headers = { ...(token !== null && { authorization: `Bearer ${token}` }), 'content-type': 'application/json' }
  const asked = { method, headers, ...(method !== 'GET' && { body: JSON.stringify(bodyOf(operationId, params)) }) }
  const response = await fetch(`${url}${filled}`, asked)
  // A stream never ends by itself.
  if (response.headers.get('content-type') === 'text/event-stream') {
    await response.body.cancel()
    return { status: response.status, text: '' }
  }
  return { status: response.status, text: await response.text() }
}
