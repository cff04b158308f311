import { PosthornError } from '../../../src/core/errors.ts'
import type { Draw } from '../draw.ts'
import type { Action } from '../scenario.ts'
import type { SendRecord } from '../world/history.ts'
import type { Process } from '../world/process.ts'
import { rememberedBody } from '../world/bodies.ts'
import { inOrder } from '../world/receivers.ts'
import type { Behaviour } from '../world/receivers.ts'
import { commit, unstorable } from '../world/store.ts'
import type { SimulatedTransaction } from '../world/store.ts'
import { applicationOf } from '../world/world.ts'
import type { World } from '../world/world.ts'
import type { Behave, Create, Edit } from './endpoints.ts'
import { pattern, performer } from './kind.ts'
import type { Pattern, Performer, Plan } from './kind.ts'
import type { Leave, Pause } from './processes.ts'
import type { Fault } from './store-faults.ts'

export interface Send extends Action {
  readonly do: 'send'
  readonly process: number
  /** Null for all of them in turn. */
  readonly application: number | null
  /** Messages at one instant. */
  readonly count: number
  /** How the sender names what it sends: an idempotency key (and it repeats what failed), an event id, or neither. */
  readonly name: 'key' | 'event' | null
  readonly delayMs: number
  readonly tx: { readonly afterMs: number; readonly commits: boolean } | null
  readonly poison?: boolean
  /** Of each body, if it is larger than it must be. */
  readonly bytes?: number
  /** One of them is a message that the store cannot keep. */
  readonly unstorable?: boolean
}

interface SendToOne extends Send {
  readonly application: number
}

const mostTries = 4
const triesAgainMs = 2_000

const sendsPattern = pattern<Send>('sends', 1, (draw, plan) => {
  const many = draw.chance(0.05) ? 8 : 1
  const names = draw.chance(0.5) ? [null] : [null, 'key' as const, 'event' as const]
  const transactions = draw.chance(0.3)
  const delays = draw.chance(0.2)
  const sizes = draw.chance(0.15) ? [0, 1_000, 50_000] : [0]
  return draw.instants(draw.between(6, 16) * many, 100, plan.lengthMs * 0.9).map((at) => ({
    at,
    do: 'send',
    process: draw.pick(plan.processes).id,
    application: unevenly(draw, plan),
    count: draw.pick([1, 1, 2, 4, 10]),
    name: draw.pick(names),
    delayMs: delays && draw.chance(0.2) ? draw.pick([1_000, 30_000]) : 0,
    tx: transactions && draw.chance(0.3) ? { afterMs: draw.pick([1, 500, 15_000]), commits: draw.chance(0.7) } : null,
    ...padded(draw.pick(sizes)),
  }))
})

const sendPerformer = performer<Send>('send', sendAll)

/** An endpoint that fails while much is sent to it, and comes back: the outage that must not return as a stampede. */
const floodPattern = pattern<Send>('flood', 0.25, (draw, plan) => {
  const application = draw.pick(plan.applications)
  const { id } = draw.pick(plan.processes)
  const from = draw.between(1_000, plan.lengthMs / 2)
  return Array.from({ length: draw.between(10, 30) }, (_, index) => ({
    at: from + index * 1_000,
    do: 'send',
    process: id,
    application,
    count: draw.between(1, 4),
    name: null,
    delayMs: 0,
    tx: null,
  }))
})

/** An endpoint that is busy, asks for a wait, and then fails once in a hundred times. */
const comebackPattern = pattern<Send | Behave>('comeback', 0.003, (draw, plan) => {
  const busy = plan.troubled.find(({ ratePerSecond }) => ratePerSecond === null)
  if (busy === undefined || plan.isLong) return []
  const at = draw.between(1_000, 10_000)
  const most = draw.pick([4, 25])
  const quick = { tookMs: [5, 80], otherwiseMs: [5, 80] } as const
  const { id: process } = plan.processes[0] ?? draw.pick(plan.processes)
  const send = { do: 'send', process, application: busy.application, name: null, delayMs: 0, tx: null } as const
  return [
    {
      at,
      do: 'behave',
      endpoint: busy.id,
      as: { ...quick, answer: 503, share: 1, retryAfterMs: draw.pick([15_000, 30_000]) },
    },
    { at: at + 5_000, do: 'behave', endpoint: busy.id, as: { ...quick, answer: 500, share: 0.01, retryAfterMs: null } },
    ...Array.from({ length: draw.between(30, 60) }, (_, index) => ({
      ...send,
      at: at + index * 1_000,
      count: draw.between(1, most),
    })),
  ]
})

/** Endpoints change, and right afterwards all tenants send in one turn of the loop while the store errs: some lists are old, and cannot be read anew. */
const releasePattern = pattern<Send | Create | Fault>('release', 0.12, (draw, plan) => {
  const { id: process } = draw.pick(plan.processes)
  const at = draw.between(5_000, plan.lengthMs)
  const send = { do: 'send', process, application: null, count: draw.between(2, 8), delayMs: 0, tx: null } as const
  return [
    { ...send, at: at - 4_000, name: null },
    { at, do: 'create', endpoint: 200, application: draw.pick(plan.applications) },
    {
      at: at + 200,
      do: 'fault',
      process,
      call: draw.pick(['matching', 'application', 'enqueue']),
      mode: draw.pick(['before', 'silent']),
      times: draw.between(1, 3),
      delayMs: 0,
    },
    { ...send, at: at + 250, name: draw.pick([null, 'event', 'key']) },
  ]
})

/** Large bodies, more of them than a process may hold, for an endpoint that is slow or hangs. */
const bulkyPattern = pattern<Send | Behave>('bulky', 0.015, (draw, plan) => {
  const [slow] = plan.troubled
  if (slow === undefined) return []
  const at = draw.between(2_000, Math.max(2_000, plan.lengthMs * 0.5))
  const as = draw.pick<Behaviour>([
    { ...inOrder, answer: 'hung' },
    { ...inOrder, tookMs: [5_000, 25_000] },
  ])
  return [
    { at, do: 'behave', endpoint: slow.id, as },
    {
      at: at + 500,
      do: 'send',
      process: draw.pick(plan.processes).id,
      application: draw.chance(0.5) ? slow.application : null,
      count: draw.between(20, 60),
      name: null,
      delayMs: 0,
      tx: null,
      bytes: draw.pick([200_000, 900_000]),
    },
    { at: at + draw.pick([20_000, 45_000]), do: 'behave', endpoint: slow.id, as: inOrder },
  ]
})

/** Many are stored with one statement, and one of them is refused for what it holds. */
const misfitPattern = pattern<Send>('misfit', 0.1, (draw, plan) =>
  draw.instants(draw.between(1, 2), 1_000, plan.lengthMs * 0.9).map((at) => ({
    at,
    do: 'send',
    process: draw.pick(plan.processes).id,
    application: draw.chance(0.5) ? null : draw.pick(plan.applications),
    count: draw.between(2, 9),
    name: draw.pick([null, 'event']),
    delayMs: 0,
    tx: null,
    unstorable: true,
  })),
)

/** A process that dies with much in its hands, and so does whoever has taken that over, while some of it goes to an endpoint that hangs. */
const relapsePattern = pattern<Send | Fault | Behave>('relapse', 0.12, (draw, plan) => {
  const workers = plan.processes.filter(({ role }) => role === 'worker')
  const { id: process } = draw.pick(workers)
  const others = draw.chance(0.5) ? workers : workers.filter(({ id }) => id === process)
  const at = draw.between(2_000, 20_000)
  const dies = { do: 'fault', mode: 'dies', times: 1, delayMs: 0 } as const
  const times = draw.pick([1, 1, 1, 2, 3, 5])
  const hung = plan.troubled
    .slice(0, draw.between(0, 2))
    .map(({ id }): Behave => ({ at: at - 1_000, do: 'behave', endpoint: id, as: { ...inOrder, answer: 'hung' } }))
  return [
    ...hung,
    { ...dies, at: at - 1, process, call: 'enqueue' },
    { at, do: 'send', process, application: null, count: draw.between(4, 20), name: null, delayMs: 0, tx: null },
    ...Array.from({ length: times }, (_, index) =>
      others.map(({ id }) => ({ ...dies, at: at + 20_000 + index * 31_500, process: id, call: 'claim' })),
    ).flat(),
  ]
})

/** A worker that is stopped with more in its hands than it can have open, for longer than its lease. */
const stallPattern = pattern<Send | Pause>('stall', 0.06, (draw, plan) => {
  const { id: process } = draw.pick(plan.processes.filter(({ role }) => role === 'worker'))
  const at = draw.between(2_000, plan.lengthMs * 0.7)
  return [
    {
      at,
      do: 'send',
      process,
      application: draw.pick(plan.applications),
      count: draw.between(8, 30),
      name: null,
      delayMs: 0,
      tx: null,
    },
    { at: at + draw.between(5, 150), do: 'pause', process, forMs: draw.pick([35_000, 65_000]) },
  ]
})

/** Workers that leave and come back while one of the others has all its requests open to an endpoint that is slow. */
const crowdPattern = pattern<Send | Behave | Leave>('crowd', 0.15, (draw, plan) => {
  const [stays, ...others] = plan.processes.filter(({ role }) => role === 'worker')
  const [slow] = plan.troubled
  if (stays === undefined || others.length === 0 || slow === undefined) return []
  const at = draw.between(2_000, Math.max(2_000, plan.lengthMs * 0.7))
  const backAfterMs = draw.between(12_000, 20_000)
  const send = {
    do: 'send',
    process: stays.id,
    application: slow.application,
    name: null,
    delayMs: 0,
    tx: null,
  } as const
  return [
    ...others
      .slice(0, draw.between(1, 3))
      .map(
        ({ id }) =>
          ({ at, do: 'leave', process: id, graceMs: 0, startsAfterMs: backAfterMs + draw.between(0, 500) }) as const,
      ),
    { ...send, at: at + 1_000, count: draw.between(1, 8) },
    { at: at + 8_000, do: 'behave', endpoint: slow.id, as: { ...inOrder, tookMs: [10_000, 25_000] } },
    { ...send, at: at + 9_000, count: draw.between(8, 30) },
    { at: at + 60_000, do: 'behave', endpoint: slow.id, as: inOrder },
  ]
})

/** An endpoint that moves while its old URL is still saying that it is gone. */
const farewellPattern = pattern<Send | Behave | Edit>('farewell', 0.06, (draw, plan) =>
  plan.troubled.slice(0, 1).flatMap(({ id: endpoint, application }) => {
    const at = draw.between(2_000, plan.lengthMs * 0.9)
    return [
      { at, do: 'behave', endpoint, as: { ...inOrder, answer: 410, tookMs: [1_000, 8_000] } },
      {
        at: at + 500,
        do: 'send',
        process: draw.pick(plan.processes).id,
        application,
        count: draw.between(1, 4),
        name: null,
        delayMs: 0,
        tx: null,
      },
      { at: at + 1_400, do: 'edit', endpoint, as: inOrder },
    ]
  }),
)

/** A message that ends every worker that sends it. */
const poisonPattern = pattern<Send>('poison', 0.05, (draw, plan) => [
  // Five crashes take more than an hour, with the pauses between them.
  {
    at: draw.between(1_000, plan.isLong ? 600_000 : plan.lengthMs / 2),
    do: 'send',
    process: draw.pick(plan.processes).id,
    application: draw.pick(plan.applications),
    count: 1,
    name: null,
    delayMs: 0,
    tx: null,
    poison: true,
  },
])

export const senderPatterns: readonly Pattern[] = [
  sendsPattern,
  floodPattern,
  comebackPattern,
  releasePattern,
  misfitPattern,
  bulkyPattern,
  crowdPattern,
  relapsePattern,
  stallPattern,
  farewellPattern,
  poisonPattern,
]

export const senderPerformers: readonly Performer[] = [sendPerformer]

function padded(bytes: number): { readonly bytes?: number } {
  return bytes === 0 ? {} : { bytes }
}

/** The first tenant sends most, and now and then all of them at once. */
function unevenly(draw: Draw, { applications }: Plan): number | null {
  if (draw.chance(0.15)) return null
  return draw.chance(0.5) ? (applications[0] ?? 0) : draw.pick(applications)
}

function sendAll(world: World, action: Send): void {
  const process = world.processes.get(action.process)
  if (process === undefined || !process.isAlive) return
  // A process that is frozen sends when it wakes up.
  if (process.gate.state === 'frozen')
    return void world.scheduler.at(0, process.gate, 'sends', () => sendAll(world, action))
  for (let index = 0; index < action.count; index += 1) {
    const isUnstorable = action.unstorable === true && index === action.count >> 1
    const payload = `{"n":${world.history.sends.length}${isUnstorable ? `,${unstorable}:true` : ''}${paddingOf(action)}}`
    if (action.poison === true) world.poison.add(payload)
    if (payload.length >= 100_000) world.history.reach('large body sent')
    void sendOne(world, process, { ...action, application: action.application ?? inTurn(world, index) }, payload, 1)
  }
}

function paddingOf({ bytes }: Send): string {
  return bytes === undefined ? '' : `,"padding":"${'x'.repeat(bytes)}"`
}

function inTurn({ scenario: { endpoints } }: World, index: number): number {
  return endpoints[index % endpoints.length]?.application ?? 0
}

async function sendOne(
  world: World,
  process: Process,
  action: SendToOne,
  payload: string,
  tries: number,
): Promise<void> {
  const { posthorn, gate } = process
  const { now } = world.scheduler
  const body = rememberedBody(Buffer.from(payload))
  const record: SendRecord = {
    at: now,
    process: gate.name,
    application: action.application,
    body,
    idempotencyKey: action.name === 'key' ? `key ${body}` : null,
    eventId: action.name === 'event' && action.tx === null ? `event ${body}` : null,
    tx: action.tx === null ? null : { commits: action.tx.commits, committedAt: null },
    dueAt: now + action.delayMs,
    endedAt: null,
    answer: null,
  }
  world.history.sends.push(record)
  const tx: SimulatedTransaction = { requests: [] }
  try {
    const sent = await posthorn.send(messageOf(record, action, payload), action.tx === null ? {} : { tx })
    end(world, record, { kind: 'sent', id: sent.id, deliveries: sent.deliveries, repeated: sent.repeated })
    if (action.tx !== null) finish(world, process, record, tx, action.tx.afterMs)
  } catch (error) {
    const code = error instanceof PosthornError ? error.code : 'other'
    end(world, record, { kind: 'refused', code })
    world.history.reach(`send refused: ${code}`)
    if (record.idempotencyKey === null || tries >= mostTries) return
    world.scheduler.at(
      triesAgainMs,
      gate,
      'sends again',
      () => void sendOne(world, process, action, payload, tries + 1),
    )
  }
}

function messageOf(
  { idempotencyKey, eventId, dueAt }: SendRecord,
  { application, delayMs }: SendToOne,
  payload: string,
) {
  return {
    application: applicationOf({ application }),
    type: 'simulation.sent',
    payload,
    ...(idempotencyKey === null ? {} : { idempotencyKey }),
    ...(eventId === null ? {} : { eventId }),
    ...(delayMs === 0 ? {} : { deliverAt: dueAt }),
  }
}

function end(world: World, record: SendRecord, answer: NonNullable<SendRecord['answer']>): void {
  record.endedAt = world.scheduler.now
  record.answer = answer
}

/** The transaction ends by and by, or never, if its process dies first. */
function finish(
  world: World,
  { gate }: Process,
  { tx: known }: SendRecord,
  tx: SimulatedTransaction,
  afterMs: number,
): void {
  world.scheduler.at(afterMs, gate, known?.commits === true ? 'commits' : 'rolls back', () => {
    if (known === null || !known.commits) return world.history.reach('transaction rolled back')
    world.history.reach(afterMs > 10_000 ? 'transaction committed late' : 'transaction committed')
    known.committedAt = world.scheduler.now
    void commit(world.shared, gate.name, tx)
  })
}
