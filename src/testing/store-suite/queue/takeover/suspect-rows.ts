import assert from 'node:assert/strict'
import type { Endpoint } from '../../../../core/endpoint/endpoint.ts'
import type { Claim } from '../../../../core/ports/queue.ts'
import type { Instant } from '../../../../core/time.ts'
import { leaseMs, leaseOf, start } from '../../world.ts'
import type { World } from '../../world.ts'

export const suspectAt = start + 2 * leaseMs
export const crashedAt = suspectAt + leaseMs

/** A delivery that was taken over twice, and is leased by anna under epoch 3. */
export async function aSuspect(world: World, endpoint: Endpoint): Promise<Claim> {
  await world.send(endpoint)
  await world.claimOne({ from: endpoint })
  await world.claimOne({ from: endpoint, at: start + leaseMs })
  return world.claimOne({ from: endpoint, at: suspectAt })
}

/** The same after a crash, under epoch 4. */
export async function aCrashed(world: World, endpoint: Endpoint): Promise<Claim> {
  await begin(world, await aSuspect(world, endpoint), suspectAt)
  return world.claimOne({ from: endpoint, lane: 'suspects', at: crashedAt })
}

export async function begin(world: World, claim: Claim, now: Instant): Promise<void> {
  const starts = [{ ...leaseOf(claim), url: 'https://ahead.example' }]
  assert.deepEqual(await world.queue.start({ owner: 'anna', now, starts }), [claim.delivery.id])
}
