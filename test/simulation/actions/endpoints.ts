import type { Draw } from '../draw.ts'
import type { Action } from '../scenario.ts'
import { inOrder } from '../world/receivers.ts'
import type { Behaviour } from '../world/receivers.ts'
import { attempted, pattern, performer } from './kind.ts'
import type { Pattern, Performer } from './kind.ts'

interface OfEndpoint extends Action {
  readonly endpoint: number
}

export interface Behave extends OfEndpoint {
  readonly do: 'behave'
  readonly as: Behaviour
}

export interface Edit extends OfEndpoint {
  readonly do: 'edit'
  /** How it is at its new URL. */
  readonly as: Behaviour
}

/** Another endpoint of an application, in the middle of it: lists of endpoints that were read before are old. */
export interface Create extends OfEndpoint {
  readonly do: 'create'
  readonly application: number
}

const quick = [5, 80] as const

/** The ways in which an endpoint can be in trouble. */
const troubles: Readonly<Record<string, (draw: Draw) => Behaviour>> = {
  slow: (draw) => ({
    ...inOrder,
    tookMs: draw.pick([
      [1_000, 4_000],
      [5_000, 25_000],
      [20_000, 29_000],
    ]),
  }),
  down: (draw) => ({
    answer: draw.pick([500, 'refused', 503]),
    tookMs: quick,
    share: 1,
    otherwiseMs: quick,
    retryAfterMs: null,
  }),
  hung: () => ({ answer: 'hung', tookMs: quick, share: 1, otherwiseMs: quick, retryAfterMs: null }),
  flapping: (draw) => ({
    answer: draw.pick([500, 'refused', 'hung']),
    tookMs: quick,
    share: draw.pick([0.05, 0.3, 0.7]),
    otherwiseMs: [5, 1_000],
    retryAfterMs: null,
  }),
  limiting: (draw) => ({
    answer: draw.pick([429, 503]),
    tookMs: draw.pick([quick, [50, 500]]),
    share: draw.pick([0.1, 0.3, 1]),
    otherwiseMs: draw.pick([quick, [500, 3_000]]),
    retryAfterMs: draw.pick([2_000, 45_000, 600_000]),
  }),
  refusing: () => ({ answer: 400, tookMs: quick, share: 0.5, otherwiseMs: quick, retryAfterMs: null }),
  gone: (draw) => ({
    answer: 410,
    tookMs: draw.pick([quick, [1_000, 8_000]]),
    share: draw.pick([0.2, 1]),
    otherwiseMs: quick,
    retryAfterMs: null,
  }),
}

/** Trouble comes and goes; each endpoint has its own. */
const troublePattern = pattern<Behave>('trouble', 0.85, (draw, plan) =>
  plan.troubled.flatMap(({ id }) => {
    const names = Object.keys(troubles)
    const starts = draw.instants(draw.between(1, 3), 0, plan.lengthMs)
    return starts.flatMap((at): Behave[] => {
      const forMs = draw.pick([5_000, 30_000, 90_000, plan.lengthMs])
      const as = troubles[draw.pick(names)]?.(draw) ?? inOrder
      return [
        { at, do: 'behave', endpoint: id, as },
        { at: at + forMs, do: 'behave', endpoint: id, as: inOrder },
      ]
    })
  }),
)

/** Our own proxy is away, for all that are not to stay in order: which is no endpoint's fault. */
const proxyPattern = pattern<Behave>('proxy away', 0.15, (draw, plan) => {
  const at = draw.between(0, plan.lengthMs)
  const forMs = draw.pick([5_000, 60_000, 600_000])
  return plan.troubled.flatMap(({ id: endpoint }): Behave[] => [
    { at, do: 'behave', endpoint, as: { ...inOrder, answer: 'proxy' } },
    { at: at + forMs, do: 'behave', endpoint, as: inOrder },
  ])
})

const behavePerformer = performer<Behave>('behave', (world, { endpoint, as }) =>
  world.behave(world.receiver(endpoint), as),
)

const editPattern = pattern<Edit>('edit', 0.3, (draw, plan) =>
  draw.instants(draw.between(1, 3), 1_000, plan.lengthMs).flatMap((at) => {
    if (plan.troubled.length === 0) return []
    return [
      {
        at,
        do: 'edit',
        endpoint: draw.pick(plan.troubled).id,
        as: draw.chance(0.8) ? inOrder : (troubles['down']?.(draw) ?? inOrder),
      },
    ]
  }),
)

const editPerformer = performer<Edit>('edit', (world, { endpoint, as }) => {
  world.history.reach('endpoint moved')
  attempted(world.move(world.receiver(endpoint), as))
})

type StatusVerb = 'pause' | 'resume' | 'disable' | 'enable' | 'delete'

const statusPattern = pattern<OfEndpoint & { do: 'status'; verb: StatusVerb }>('status', 0.25, (draw, plan) =>
  draw.instants(draw.between(1, 3), 1_000, plan.lengthMs).flatMap((at) => {
    if (plan.troubled.length === 0) return []
    const endpoint = draw.pick(plan.troubled).id
    const verb = draw.pick<StatusVerb>(['pause', 'pause', 'disable', 'delete', 'enable'])
    const back = verb === 'pause' ? 'resume' : 'enable'
    const first = { at, do: 'status', endpoint, verb } as const
    return verb === 'delete' || draw.chance(0.3)
      ? [first]
      : [first, { at: at + draw.pick([1_000, 20_000, 60_000]), do: 'status', endpoint, verb: back }]
  }),
)

const statusPerformer = performer<OfEndpoint & { do: 'status'; verb: StatusVerb }>(
  'status',
  (world, { endpoint, verb }) => {
    world.history.reach(`endpoint: ${verb}`)
    attempted(world.operator.posthorn.endpoints[verb](world.receiver(endpoint).id, { by: 'operator' }))
  },
)

const createPattern = pattern<Create>('create', 0.2, (draw, plan) =>
  draw
    .instants(draw.between(1, 2), 1_000, plan.lengthMs)
    .map((at, index) => ({ at, do: 'create', endpoint: 100 + index, application: draw.pick(plan.applications) })),
)

const createPerformer = performer<Create>('create', (world, { endpoint, application }) => {
  world.history.reach('endpoint created')
  attempted(world.createEndpoint({ id: endpoint, application, policy: 'brisk', ratePerSecond: null }))
})

export const endpointPatterns: readonly Pattern[] = [
  troublePattern,
  proxyPattern,
  editPattern,
  statusPattern,
  createPattern,
]

export const endpointPerformers: readonly Performer[] = [
  behavePerformer,
  editPerformer,
  statusPerformer,
  createPerformer,
]
