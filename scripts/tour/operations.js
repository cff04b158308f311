/** The operations of a server that Svix clients know: the tour must use every one. */
export const operations = [
  'GET /api/v1/health',
  'HEAD /api/v1/health',
  'GET /api/v1/app',
  'POST /api/v1/app',
  'GET /api/v1/app/{app}',
  'PUT /api/v1/app/{app}',
  'PATCH /api/v1/app/{app}',
  'DELETE /api/v1/app/{app}',
  'GET /api/v1/event-type',
  'POST /api/v1/event-type',
  'GET /api/v1/event-type/{name}',
  'PUT /api/v1/event-type/{name}',
  'PATCH /api/v1/event-type/{name}',
  'DELETE /api/v1/event-type/{name}',
  'GET /api/v1/app/{app}/endpoint',
  'POST /api/v1/app/{app}/endpoint',
  'GET /api/v1/app/{app}/endpoint/{endpoint}',
  'PUT /api/v1/app/{app}/endpoint/{endpoint}',
  'PATCH /api/v1/app/{app}/endpoint/{endpoint}',
  'DELETE /api/v1/app/{app}/endpoint/{endpoint}',
  'GET /api/v1/app/{app}/endpoint/{endpoint}/headers',
  'PUT /api/v1/app/{app}/endpoint/{endpoint}/headers',
  'PATCH /api/v1/app/{app}/endpoint/{endpoint}/headers',
  'GET /api/v1/app/{app}/endpoint/{endpoint}/secret',
  'POST /api/v1/app/{app}/endpoint/{endpoint}/secret/rotate',
  'POST /api/v1/app/{app}/endpoint/{endpoint}/send-example',
  'GET /api/v1/app/{app}/endpoint/{endpoint}/stats',
  'POST /api/v1/app/{app}/endpoint/{endpoint}/recover',
  'GET /api/v1/app/{app}/msg',
  'POST /api/v1/app/{app}/msg',
  'GET /api/v1/app/{app}/msg/{message}',
  'DELETE /api/v1/app/{app}/msg/{message}/content',
  'GET /api/v1/app/{app}/attempt/endpoint/{endpoint}',
  'GET /api/v1/app/{app}/attempt/msg/{message}',
  'GET /api/v1/app/{app}/endpoint/{endpoint}/msg',
  'GET /api/v1/app/{app}/msg/{message}/endpoint',
  'GET /api/v1/app/{app}/msg/{message}/attempt/{attempt}',
  'DELETE /api/v1/app/{app}/msg/{message}/attempt/{attempt}/content',
  'POST /api/v1/app/{app}/msg/{message}/endpoint/{endpoint}/resend',
  'POST /api/v1/auth/app-portal-access/{app}',
  'POST /api/v1/auth/logout',
]

const patterns = operations.map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}))

/** A `fetch` that records which operations succeeded, and the last response. */
export function watchedFetch() {
  const seen = new Set()
  const watch = {
    seen,
    status: 0,
    async fetch(url, init) {
      const response = await fetch(url, init)
      watch.status = response.status
      const asked = `${init?.method ?? 'GET'} ${new URL(url).pathname}`
      // The longest match: /api/v1/app/{app}/endpoint is not an endpoint called "endpoint".
      const found = patterns.findLast(({ pattern }) => pattern.test(asked))
      if (response.ok && found !== undefined) seen.add(found.operation)
      return response
    },
    missing: () => operations.filter((operation) => !seen.has(operation)),
  }
  return watch
}
