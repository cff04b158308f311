import type { LookupAddress } from 'node:dns'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import type { OutgoingRequest, Transport } from '../../src/core/ports/ports.ts'
import { receiver } from '../../src/testing/receiver.ts'
import type { Receiver, ReceiverOptions } from '../../src/testing/receiver.ts'
import type { Lookup } from '../../src/transport/lookup/lookup.ts'
import { makeGuard } from '../../src/transport/guard.ts'
import { httpTransport } from '../../src/transport/http.ts'
import type { HttpTransportOptions } from '../../src/transport/http.ts'

/** A guard that lets a test call its own receivers. */
export const loopbackGuard = makeGuard({ allowedTargets: ['127.0.0.0/8', '::1/128'] })

/** A receiver that is closed when the test ends. */
export async function openReceiver(options?: ReceiverOptions): Promise<Receiver> {
  const made = await receiver(options)
  onTestFinished(() => made.close())
  return made
}

/** A transport that may call loopback and is closed when the test ends. */
export function openTransport(options: Partial<HttpTransportOptions> = {}): Transport {
  const made = httpTransport({ clock: systemClock, guard: loopbackGuard, ...options })
  onTestFinished(() => made.close())
  return made
}

export function request(url: string, more: Partial<OutgoingRequest> = {}): OutgoingRequest {
  return {
    url,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{"hello":"world"}'),
    timeoutMs: 10_000,
    ...more,
  }
}

/** A resolver that gives each look-up of a name its next answer, and the last one from then on. */
export function scriptedLookup(
  answers: Readonly<Record<string, readonly (readonly string[] | NodeJS.ErrnoException)[]>>,
): Lookup {
  const asked = new Map<string, number>()
  return (hostname, done) => {
    const turn = asked.get(hostname) ?? 0
    asked.set(hostname, turn + 1)
    const list = answers[hostname] ?? []
    const answer = list[Math.min(turn, list.length - 1)] ?? errorWithCode('ENOTFOUND')
    if (answer instanceof Error) done(answer, [])
    else
      done(
        null,
        answer.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
      )
    return () => undefined
  }
}

export function errorWithCode(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code} with a secret in it`), { code })
}

/** A connector that notes where it was sent, and dials the canary on loopback instead: no packet leaves the machine. */
export function divertedTo(port: number): {
  readonly dialled: string[]
  connect(to: { addresses: readonly LookupAddress[] }): Socket
} {
  const dialled: string[] = []
  return {
    dialled,
    connect({ addresses }) {
      dialled.push(...addresses.map(({ address }) => address))
      return connect({ host: '127.0.0.1', port })
    },
  }
}
