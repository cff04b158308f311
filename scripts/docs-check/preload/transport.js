// The real transport, except that requests to other machines go to the local receiver, whose address is in the environment.
const dist = process.env.DOCS_CHECK_DIST
const { httpTransport: realTransport } = await import(`${dist}/transport/http.js`)
const { makeGuard } = await import(`${dist}/transport/guard.js`)

export function httpTransport(options) {
  const direct = realTransport(options)
  const local = realTransport({
    ...options,
    guard: makeGuard({ allowedTargets: ['127.0.0.0/8'], allowHttp: true, ownPort: null }),
  })
  return {
    send(request) {
      const { hostname, pathname } = new URL(request.url)
      if (/^(127\.|localhost$|\[::1\])/.test(hostname)) return direct.send(request)
      return local.send({ ...request, url: `${process.env.DOCS_CHECK_RECEIVER}/${hostname}${pathname}` })
    },
    async close() {
      await Promise.all([direct.close(), local.close()])
    },
  }
}
