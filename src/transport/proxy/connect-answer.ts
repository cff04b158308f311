import { noPublicAddress, proxyFailed } from '../../core/delivery/attempt.ts'
import type { Failure } from '../failure.ts'

/** A proxy's response to CONNECT. */
interface ConnectAnswer {
  readonly status: number
  /** Smokescreen's reason for a connection that it refused; null for another proxy, or a connection that it made. */
  readonly smokescreen: string | null
}

/** The relevant parts of a response's head; null if it is invalid. */
export function readConnectAnswer(head: string): ConnectAnswer | null {
  const [first = '', ...lines] = head.split('\r\n')
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1]
  if (status === undefined) return null
  const line = lines.find((each) => /^x-smokescreen-error:/i.test(each))
  return {
    status: Number(status),
    smokescreen: line === undefined ? null : printable(line.slice(line.indexOf(':') + 1)),
  }
}

/** Why there is no tunnel, and who is to blame; null if there is one. */
export function connectRefusal({ status, smokescreen }: ConnectAnswer): Failure | null {
  if (status >= 200 && status < 300) return null
  if (smokescreen !== null) return smokescreenRefusal(status, smokescreen)
  switch (status) {
    case 403:
      return forbidden(`HTTP ${status}`)
    case 407:
      return proxyFailure(`it does not accept our credentials: HTTP ${status}`)
    default:
      return unreachable(status)
  }
}

function smokescreenRefusal(status: number, said: string): Failure {
  // From all others it means that they do not accept our credentials.
  if (status === 407) return forbidden(said)
  // An unknown name and one that leads inside must read the same, or tenants could learn which names exist.
  if (/resolv/i.test(said)) return { kind: 'dns', reason: `${noPublicAddress} (our proxy did not find it: ${said})` }
  return unreachable(status)
}

function forbidden(said: string): Failure {
  return { kind: 'forbidden', reason: `${noPublicAddress} (our proxy refused it: ${said})` }
}

/** With these a proxy says that it could not reach the endpoint; with all others that it is itself in trouble. */
function unreachable(status: number): Failure {
  if (status === 504) return { kind: 'timeout', reason: `no connection in time, through our proxy (HTTP ${status})` }
  if (status === 502 || status === 503)
    return { kind: 'connect', reason: `connection failed, through our proxy (HTTP ${status})` }
  return proxyFailure(`it answered HTTP ${status}`)
}

/** Our own proxy is at fault: nothing has reached the endpoint, and nothing is learnt about it. */
export function proxyFailure(details: string): Failure {
  return { kind: 'proxy', reason: `${proxyFailed} (${details})` }
}

function printable(text: string): string {
  return text
    .replaceAll(/[^\x20-\x7e]/g, '')
    .trim()
    .slice(0, 200)
}
