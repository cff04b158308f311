import type { PosthornOptions } from 'posthorn'
import type { HandlerOptions } from 'posthorn/server'
import type { RecordedRequest } from 'posthorn/testing'
import { Svix } from 'svix'
import { expect } from 'vitest'
import { adminKey } from '../world.ts'
import { routesWorld } from '../routes/world.ts'
import type { RoutesWorld } from '../routes/world.ts'

/** A server that delivers, and the official client of Svix in front of it, without a network between them. */
export interface ContractWorld extends RoutesWorld {
  /** With a key that may do everything. */
  readonly svix: Svix
  client(token: string): Svix
  /** The answer that the client got last. */
  last(): Response
  /** What an endpoint got: the nth request of all, once it has left. */
  received(count: number): Promise<RecordedRequest>
}

export const secret = `whsec_${Buffer.from('the secret of this test, 32 long').toString('base64')}`

export async function contractWorld(
  options: HandlerOptions = {},
  more: Partial<PosthornOptions> = {},
): Promise<ContractWorld> {
  const world = await routesWorld('sqlite', true, options, more)
  let last: Response | null = null
  const fetchHere: typeof fetch = async (url, init) => {
    // What was made first has the smaller id only if it was made at an earlier instant.
    await world.clock.advance(1)
    last = (await world.answer(new Request(url, init))).clone()
    return last.clone()
  }
  const client = (token: string): Svix => new Svix(token, { serverUrl: 'http://posthorn.test', fetch: fetchHere })
  return {
    ...world,
    client,
    svix: client(adminKey),
    last: () => last ?? expect.fail('The client has not asked anything yet.'),
    async received(count) {
      await world.transport.sent(count)
      return world.transport.requests[count - 1] ?? expect.fail(`Request ${count} is missing.`)
    },
  }
}

/** The status and body with which the client's call is refused. */
export async function refused(call: Promise<unknown>): Promise<{ status: number; detail: unknown }> {
  const thrown: unknown = await call.then(
    () => expect.fail('Expected the call to be refused.'),
    (error: unknown) => error,
  )
  if (!(thrown instanceof Error && 'code' in thrown && 'body' in thrown)) throw thrown
  return { status: Number(thrown.code), detail: (thrown.body as { detail: unknown }).detail }
}
