import type { Outcome } from '../../core/delivery/attempt.ts'
import type { Wire } from '../../core/delivery/diagnostics.ts'
import { masked } from '../../core/endpoint/masked-url.ts'
import type { Clock, OutgoingRequest } from '../../core/ports/ports.ts'
import type { TokenOwner, Tokens } from './tokens.ts'

interface AuthorizedTools {
  readonly clock: Clock
  readonly tokens: Tokens
  send(request: OutgoingRequest): Promise<Outcome>
}

/**
 * Sends a request with a token, all within the request's time limit. A 401 for a cached token may only mean that it is no longer
 * valid: then a new one is fetched, and the request is sent once more; a server that answers 401 has not processed it.
 */
export async function sendAuthorized(
  { clock, tokens, send }: AuthorizedTools,
  request: OutgoingRequest,
  owner: TokenOwner,
): Promise<Outcome> {
  const startedAt = clock.now()
  // A clock that is set back must not extend it.
  const leftMs = (): number => Math.min(request.timeoutMs - (clock.now() - startedAt), request.timeoutMs)
  const first = await tokens.obtain(owner, leftMs())
  if (first.kind === 'failed') return first.failure
  const outcome = await send(withToken(request, first.token, leftMs()))
  if (!first.isKept || outcome.kind !== 'answered' || outcome.statusCode !== 401 || leftMs() <= 0) return outcome
  tokens.forget(owner, first.token)
  const second = await tokens.obtain(owner, leftMs())
  return second.kind === 'failed' ? second.failure : send(withToken(request, second.token, leftMs()))
}

function withToken(request: OutgoingRequest, token: string, timeoutMs: number): OutgoingRequest {
  const { observe } = request
  return {
    ...request,
    headers: { ...request.headers, authorization: `Bearer ${token}` },
    timeoutMs,
    observe: observe === undefined ? undefined : (wire) => observe(withoutToken(wire, token)),
  }
}

/** Nobody else knows the token, so a response that repeats it must be detected here. */
function withoutToken(wire: Wire, token: string): Wire {
  if (wire.headers === null) return wire
  const shown = Object.entries(wire.headers).map(([name, value]) => [name, value.replaceAll(token, masked)])
  return { ...wire, headers: Object.fromEntries(shown) }
}
