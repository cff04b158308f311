/** A request whose caller left before all of it had arrived: nobody's defect. */
export class RequestAborted extends Error {
  override readonly name = 'RequestAborted'

  constructor(cause: unknown) {
    super('The connection was closed before the whole request had come.', { cause })
  }
}

/** Nobody receives this response; the log shows it with the status that proxies use for it. */
export function abortedResponse(): Response {
  return new Response(null, { status: 499 })
}
