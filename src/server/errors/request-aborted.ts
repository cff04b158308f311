/** A request whose caller left before all of it had come: no defect of anybody here. */
export class RequestAborted extends Error {
  override readonly name = 'RequestAborted'

  constructor(cause: unknown) {
    super('The connection was closed before the whole request had come.', { cause })
  }
}

/** Nobody gets this answer; the log does, by the status that proxies use for it. */
export function abortedResponse(): Response {
  return new Response(null, { status: 499 })
}
