import type { OAuth2Client, TransportAuthentication } from '../../core/endpoint/authentication.ts'
import type { Outcome } from '../../core/delivery/attempt.ts'
import { Lru } from '../../core/lru.ts'
import type { OutgoingRequest } from '../../core/ports/ports.ts'
import type { Instant } from '../../core/time.ts'
import { makeTimed } from '../deadlines.ts'
import type { Deadlines } from '../deadlines.ts'
import { failed, readTokenAnswer, tokenRequest } from './token-answer.ts'
import type { TokenAnswer } from './token-answer.ts'

/** The owner of a token, and how to fetch it. */
export interface TokenOwner extends TransportAuthentication {
  readonly oauth2: OAuth2Client
}

/** A token answer that also says whether the token was used before. */
type Obtained = TokenAnswer & { readonly isKept: boolean }

interface Kept {
  readonly token: string
  readonly expiresAt: Instant
}

const mostTokens = 10_000

/** The tokens of all endpoints, in memory only. Concurrent requests to an endpoint share one fetch. */
export class Tokens {
  private readonly send: (request: OutgoingRequest) => Promise<Outcome>
  private readonly deadlines: Deadlines
  private readonly kept = new Lru<string, Kept>(mostTokens)
  private readonly fetches = new Map<string, Promise<TokenAnswer>>()

  constructor(deadlines: Deadlines, send: (request: OutgoingRequest) => Promise<Outcome>) {
    this.deadlines = deadlines
    this.send = send
  }

  async obtain(owner: TokenOwner, timeoutMs: number): Promise<Obtained> {
    const key = keyOf(owner)
    const kept = this.kept.get(key)
    const leftMs = kept === undefined ? 0 : kept.expiresAt - this.deadlines.clock.now()
    if (kept !== undefined && leftMs > 0) return { kind: 'token', token: kept.token, lastsMs: leftMs, isKept: true }
    const fetch = this.fetches.get(key) ?? this.begin(key, owner, timeoutMs)
    return { ...(await this.within(fetch, timeoutMs)), isKept: false }
  }

  /** A refused token is not used again; one that has replaced it since is. */
  forget(owner: TokenOwner, token: string): void {
    const key = keyOf(owner)
    if (this.kept.get(key)?.token === token) this.kept.delete(key)
  }

  private begin(key: string, owner: TokenOwner, timeoutMs: number): Promise<TokenAnswer> {
    const fetch = this.fetch(key, owner, timeoutMs).finally(() => this.fetches.delete(key))
    this.fetches.set(key, fetch)
    return fetch
  }

  private async fetch(key: string, owner: TokenOwner, timeoutMs: number): Promise<TokenAnswer> {
    const { endpointId, oauth2, clientCertificate, ca } = owner
    const authentication = { endpointId, clientCertificate, ca }
    const outcome = await this.send({ ...tokenRequest(oauth2), timeoutMs, authentication })
    const answer = outcome.kind === 'timeout' ? slow(timeoutMs) : readTokenAnswer(outcome)
    if (answer.kind === 'token')
      this.kept.set(key, { token: answer.token, expiresAt: this.deadlines.clock.now() + answer.lastsMs })
    return answer
  }

  /** A request that joins another's fetch keeps its own time limit. */
  private within(fetch: Promise<TokenAnswer>, timeoutMs: number): Promise<TokenAnswer> {
    return new Promise((resolve) => {
      const alarm = makeTimed(() => resolve(slow(timeoutMs)))
      this.deadlines.add(alarm, timeoutMs)
      void fetch.then((answer) => {
        this.deadlines.remove(alarm)
        resolve(answer)
      })
    })
  }
}

function slow(timeoutMs: number): TokenAnswer {
  return failed(`the token endpoint gave no token within ${timeoutMs} ms`)
}

/** Everything that a token depends on: with other credentials, it is another one. */
function keyOf({ endpointId, oauth2 }: TokenOwner): string {
  const { tokenUrl, clientId, clientSecret, scope, audience, credentialsIn } = oauth2
  return JSON.stringify([endpointId, tokenUrl, clientId, clientSecret, scope, audience, credentialsIn])
}
