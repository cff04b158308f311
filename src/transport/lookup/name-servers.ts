import { Resolver } from 'node:dns'
import type { LookupAddress, RecordWithTtl } from 'node:dns'
import type { Clock } from '../../core/ports/ports.ts'
import type { LookedUp, Lookup } from './lookup.ts'

/** Queries name servers for both families at once, without a thread; the system's servers by default. */
export function nameServerLookup(clock: Clock, servers?: readonly string[]): Lookup {
  return (hostname, done) => {
    const question = new Question(clock, done, servers)
    question.ask(hostname)
    return () => question.cancel()
  }
}

// A silent server is queried again, or the next one is, within the lookup's budget of three seconds. The timeout doubles with each round.
const resolverOptions = { timeout: 500, tries: 3 }
// Some servers never answer for one family. If the other has been answered, the name does not fail because of that.
const otherFamilyMs = 500
// A name's owner decides how many addresses it has; those left out are never called.
const mostPerFamily = 16

/** One lookup. It has a separate resolver, because only all queries of a resolver can be cancelled. */
class Question {
  private readonly clock: Clock
  private readonly done: LookedUp
  private readonly resolver = new Resolver(resolverOptions)
  private readonly answers: Record<Family, Answer> = { 4: null, 6: null }
  private stopWaiting: (() => void) | null = null
  private hasEnded = false

  constructor(clock: Clock, done: LookedUp, servers: readonly string[] | undefined) {
    this.clock = clock
    this.done = done
    if (servers !== undefined) this.resolver.setServers(servers)
  }

  ask(hostname: string): void {
    const ttl = { ttl: true } as const
    try {
      this.resolver.resolve4(hostname, ttl, (error, records) => this.answered(4, error ?? records))
      this.resolver.resolve6(hostname, ttl, (error, records) => this.answered(6, error ?? records))
    } catch (error) {
      this.answered(4, asError(error))
      this.answered(6, asError(error))
    }
  }

  cancel(): void {
    this.hasEnded = true
    this.stopWaiting?.()
    this.resolver.cancel()
  }

  private answered(family: Family, answer: Answer): void {
    if (this.hasEnded) return
    this.answers[family] = answer
    const other = this.answers[family === 4 ? 6 : 4]
    if (other !== null) this.end()
    else if (recordsOf(answer).length > 0) this.stopWaiting = this.clock.after(otherFamilyMs, () => this.end())
  }

  private end(): void {
    this.cancel()
    const { 4: ipv4, 6: ipv6 } = this.answers
    // IPv4 first: of the two it is more often set up correctly.
    const records = [...recordsOf(ipv4), ...recordsOf(ipv6)]
    if (records.length > 0)
      return this.done(null, records.map(addressOf), isWhole(ipv4) && isWhole(ipv6) ? shortestTtl(records) : 0)
    const failure =
      [ipv4, ipv6].find((answer) => !isWhole(answer)) ?? [ipv4, ipv6].find((answer) => codeOf(answer) === 'ENOTFOUND')
    this.done(failure instanceof Error ? failure : null, [])
  }
}

type Family = 4 | 6
type Answer = readonly RecordWithTtl[] | Error | null

function recordsOf(answer: Answer): readonly RecordWithTtl[] {
  return answer === null || answer instanceof Error ? [] : answer.slice(0, mostPerFamily)
}

function addressOf({ address }: RecordWithTtl): LookupAddress {
  return { address, family: address.includes(':') ? 6 : 4 }
}

function shortestTtl(records: readonly RecordWithTtl[]): number {
  return Math.min(...records.map(({ ttl }) => ttl))
}

/** That a name has no address of a family is a valid answer; that nobody could say is not. */
function isWhole(answer: Answer): boolean {
  if (!(answer instanceof Error)) return answer !== null
  const code = codeOf(answer)
  return code === 'ENODATA' || code === 'ENOTFOUND'
}

function codeOf(answer: Answer): unknown {
  return answer instanceof Error && 'code' in answer ? answer.code : undefined
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
