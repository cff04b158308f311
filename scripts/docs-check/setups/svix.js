// The parts of a Svix server that an import reads, by the contract of the open one: lists in pages, secrets, headers, a token.
import { once } from 'node:events'
import { createServer } from 'node:http'

const token = 'testsk_a-token-that-can-read-secrets'
const times = { createdAt: '2026-01-02T03:04:05Z', updatedAt: '2026-01-02T03:04:05Z' }
const endpoint = '/api/v1/app/app_1srOrx2ZWZBpBUvZwXKQmoEYga2/endpoint'
const id = 'ep_1srOrx2ZWZBpBUvZwXKQmoEYga3'

const lists = {
  '/api/v1/event-type': [
    { ...times, name: 'invoice.paid', description: 'An invoice was paid', deprecated: false, schemas: null },
    { ...times, name: 'invoice.old', description: 'No longer sent', deprecated: true, archived: true },
  ],
  '/api/v1/app': [
    {
      ...times,
      id: 'app_1srOrx2ZWZBpBUvZwXKQmoEYga2',
      uid: 'globex',
      name: 'Globex',
      metadata: {},
      throttleRate: null,
    },
    { ...times, id: 'app_1srOrx2ZWZBpBUvZwXKQmoEYga4', uid: null, name: 'Without a uid', metadata: {} },
  ],
  [endpoint]: [
    { ...times, id, uid: 'till', url: 'https://globex.example/hooks', description: '', metadata: {}, disabled: false },
  ],
  '/api/v1/app/app_1srOrx2ZWZBpBUvZwXKQmoEYga4/endpoint': [],
}
const resources = {
  [`${endpoint}/${id}/secret`]: { key: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' },
  [`${endpoint}/${id}/headers`]: { headers: { 'x-example': '123' }, sensitive: [] },
}

export async function startSvix() {
  const server = createServer((request, response) => {
    const { status, body } = answerTo(request)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    token,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  }
}

function answerTo({ url, headers }) {
  if (headers.authorization !== `Bearer ${token}`)
    return { status: 401, body: { code: 'authentication_failed', detail: 'Invalid token' } }
  const { pathname, searchParams } = new URL(url, 'http://svix')
  if (Object.hasOwn(lists, pathname)) return { status: 200, body: pageOf(lists[pathname], searchParams) }
  if (Object.hasOwn(resources, pathname)) return { status: 200, body: resources[pathname] }
  return { status: 404, body: { code: 'not_found', detail: 'Entity not found' } }
}

/** One at a time, whatever was requested: a server may return fewer. */
function pageOf(list, searchParams) {
  const at = Number(searchParams.get('iterator') ?? 0)
  return { data: list.slice(at, at + 1), iterator: String(at + 1), prevIterator: null, done: at + 1 >= list.length }
}
