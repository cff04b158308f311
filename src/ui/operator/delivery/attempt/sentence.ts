import type { RecordedOutcome } from '../../../../core/delivery/attempt.ts'
import type { Attempt } from '../../../api/answers.ts'
import { duration, latency } from '../../../text/format.ts'

/** Why an attempt did not succeed, in one sentence; null for one that did. */
export function attemptSentence(attempt: Attempt): string | null {
  const { outcome, statusCode } = attempt
  if (outcome === 'answered') return statusCode === null ? null : statusSentence(attempt, statusCode)
  return outcome === 'timeout' ? timeoutSentence(attempt) : sentences[outcome]
}

function statusSentence({ responseHeaders }: Attempt, status: number): string | null {
  const header = (name: string): string | undefined => responseHeaders?.headers[name]
  if (status >= 200 && status < 300) return null
  if (status < 400) return `The endpoint redirects${to(header('location'))}. Redirects are not followed.`
  const known = refusals.get(status)
  if (known !== undefined) return `${known}${wait(header('retry-after'))}`
  if (status < 500) return 'The endpoint refused the message. The response body may say why.'
  return `The endpoint failed to process it${status === 500 ? '' : ': it or a proxy in front of it is not available'}.${wait(header('retry-after'))}`
}

const refusals: ReadonlyMap<number, string> = new Map([
  [401, 'The endpoint did not accept our credentials, or the signature did not verify.'],
  [403, 'The endpoint does not allow this request: credentials, signature or a firewall.'],
  [404, 'There is nothing at this URL.'],
  [405, 'The endpoint does not take POST at this URL.'],
  [408, 'The endpoint gave up waiting for the request.'],
  [410, 'The endpoint says that it is gone for good.'],
  [413, 'The message is too large for the endpoint.'],
  [415, 'The endpoint does not take this content type.'],
  [429, 'The endpoint asks us to send more slowly.'],
])

function to(location: string | undefined): string {
  return location === undefined ? '' : ` to ${location}`
}

function wait(retryAfter: string | undefined): string {
  if (retryAfter === undefined) return ''
  if (/^\d+$/.test(retryAfter)) return ` It asked us to wait ${duration(Number(retryAfter) * 1_000)}.`
  const until = Date.parse(retryAfter)
  // In the format of the API, so that the page shows it as a relative time.
  return Number.isNaN(until) ? '' : ` It asked us to wait until ${new Date(until).toISOString()}.`
}

/** The step in which a timeout occurred says most about it. */
function timeoutSentence({ timing, tookMs, url }: Attempt): string {
  const within = `within ${latency(tookMs)}`
  if (timing === null) return `No response came ${within}.`
  if (timing.reused) return `No response came ${within}, on a connection that was open already.`
  if (timing.dnsMs === null) return `The name was not resolved ${within}.`
  if (timing.connectMs === null)
    return `No connection was made ${within}: nobody answers there, or a firewall drops it.`
  if (timing.tlsMs === null && url.startsWith('https:')) return `The TLS handshake was not finished ${within}.`
  return `The endpoint took the request, and sent no response ${within}.`
}

const sentences: Readonly<Record<Exclude<RecordedOutcome, 'answered' | 'timeout'>, string>> = {
  dns: 'The name of the endpoint has no address, so nothing was sent.',
  connect: 'Nobody accepted the connection, so nothing was sent.',
  tls: 'No secure connection could be made: see the certificate of the endpoint.',
  reset: 'The connection was closed before a response came.',
  protocol: 'What came back was no valid HTTP response.',
  forbidden: 'The address is not public, so nothing was sent.',
  authentication: 'We could not prove to the endpoint who we are.',
  proxy: 'Our own forward proxy failed, so nothing reached the endpoint. This uses up no attempt.',
  interrupted: 'The worker ended, perhaps before the request was sent.',
  started: 'The request was begun, and has no outcome yet.',
  crashed: 'The worker ended while it was sending the request.',
}
