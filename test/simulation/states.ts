import { laneOf } from '../../src/core/delivery/delivery.ts'
import type { World } from './world/world.ts'

/** States in which rules meet: a run that never reaches one of them has shown nothing about it. */
export const states: readonly string[] = [
  'killed',
  'killed with requests open',
  'applied after its caller died',
  'probe killed',
  'poison sent',
  'paused past its lease',
  'worker left',
  'worker joined the others',
  'clock set',
  'only clock set',
  'store call: before',
  'store call: after',
  'store call: silent',
  'store call: hang',
  'store call: slow',
  'store call: dies',
  'store away for all',
  'lease taken over',
  'lease taken over twice',
  'lease lost while sending',
  'stale mark refused',
  'mark repeated after a lost answer',
  'old health confirmed',
  'old health not confirmed',
  'notified',
  'notification lost',
  'no longer listening',
  'send refused: store_failed',
  'send refused: outcome_unknown',
  'send refused: data_refused',
  'key repeated',
  'transaction committed',
  'transaction committed late',
  'transaction rolled back',
  'breaker opened',
  'breaker closed',
  'hold ended with backlog',
  'asked to wait',
  'proxy away',
  'disabled by 410',
  'alarm raised',
  'alarm resolved',
  'endpoint moved',
  'moved with requests open',
  'endpoint created',
  'endpoint: pause',
  'endpoint: resume',
  'endpoint: disable',
  'endpoint: enable',
  'endpoint: delete',
  'requeued',
  'cancelled',
  'asked why',
  'cancelled under a lease',
  'payload erased',
  'application erased',
  'payload erased under a lease',
  'given back unsent',
  'dead: exhausted',
  'dead: crashed',
  'dead: gone',
  'rate limit reached',
  'rate limit of an application reached',
  'large body sent',
  'caught up after a hold',
]

/** Counts the states that only the whole of a run shows; the others were counted when they were reached. */
export function countStates(world: World): void {
  const { history } = world
  const reach = (state: string, isReached: boolean): void => {
    if (isReached) history.reach(state)
  }
  const takeovers = new Map<string, number>()
  for (const { before, after, method } of history.rows) {
    if (method === 'claim' && before !== null && before.leaseOwner !== null)
      takeovers.set(after.id, (takeovers.get(after.id) ?? 0) + 1)
  }
  reach('lease taken over', takeovers.size > 0)
  reach(
    'lease taken over twice',
    [...takeovers.values()].some((count) => count > 1),
  )
  reach(
    'given back unsent',
    history.rows.some(({ method, after }) => method === 'release' && laneOf(after) === 'fresh'),
  )
  reach(
    'key repeated',
    history.sends.some(({ answer }) => answer?.kind === 'sent' && answer.repeated),
  )
  reach(
    'asked to wait',
    history.calls.some(({ answered }) => answered.kind === 'answered' && answered.retryAfterMs !== null),
  )
  reach(
    'proxy away',
    history.calls.some(({ answered }) => answered.kind === 'proxy'),
  )
  reach(
    'worker joined the others',
    [...history.lives.values()].filter(({ attachedAt }) => attachedAt !== null && attachedAt > world.startedAt + 1_000)
      .length > 0,
  )
  for (const reason of ['exhausted', 'crashed', 'gone'])
    reach(
      `dead: ${reason}`,
      history.rows.some(({ after }) => after.reason === reason),
    )
  countEvents(world, reach)
  countEndpoints(world, reach)
}

function countEvents({ history }: World, reach: (state: string, isReached: boolean) => void): void {
  const types = new Set(history.events.map(({ event }) => event.type))
  reach('breaker opened', types.has('breaker.opened'))
  reach('breaker closed', types.has('breaker.closed'))
  reach('lease lost while sending', types.has('lease.lost'))
  reach('disabled by 410', types.has('endpoint.disabled'))
  reach('alarm raised', types.has('alarm.raised'))
  reach('alarm resolved', types.has('alarm.resolved'))
}

function countEndpoints(world: World, reach: (state: string, isReached: boolean) => void): void {
  const { history, scenario } = world
  const receivers = [...world.receivers]
  const moves = history.endpoints.filter(({ before, after }) => before !== null && before.url !== after.url)
  reach(
    'moved with requests open',
    moves.some(({ at, after }) =>
      history.calls.some(
        (call) => call.endpointId === after.id && call.at < at && (call.endedAt ?? call.answeredAt) > at,
      ),
    ),
  )
  for (const { id, plan } of receivers)
    reach('rate limit reached', plan.ratePerSecond !== null && wasUsedUp(history, new Set([id]), plan.ratePerSecond))
  for (const { application, ratePerSecond } of scenario.limited ?? []) {
    const ids = receivers.filter(({ plan }) => plan.application === application).map(({ id }) => id)
    reach('rate limit of an application reached', ids.length > 1 && wasUsedUp(history, new Set(ids), ratePerSecond))
  }
}

function wasUsedUp({ calls }: World['history'], endpointIds: ReadonlySet<string>, limit: number): boolean {
  const own = calls.filter(({ endpointId }) => endpointIds.has(endpointId))
  return own.some(({ at }) => own.filter((other) => other.at > at - 1_000 && other.at <= at).length >= limit)
}
