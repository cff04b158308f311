import { PosthornError } from '../core/errors.ts'
import type { Outlet, SyncOutlet } from '../core/ports.ts'
import type { Envelope } from '../core/queue.ts'
import { envelopeOf, neverMatched, mostRematches, newApplication, refusedTarget, sentOf, unknownApplication } from './outbox.ts'
import type { Matching, Outgoing, Sent } from './outbox.ts'
import type { EngineParts } from './parts.ts'

/** The way in through the application's own transaction: whether it commits is not known here, so nothing is told and nothing leaves yet. */
export interface TxSend {
  sendWithin(outlet: Outlet, batch: readonly Outgoing[]): Promise<Sent[]>
  /** The same without a wait: when it returns, all of it is in the transaction. */
  sendWithinSync(outlet: SyncOutlet, batch: readonly Outgoing[]): Sent[]
  start(): void
  stop(): void
}

// A transaction ends soon after its last statement, as a rule: the longer it takes, the rarer is the look.
const looksAfterMs = [10, 40, 160, 640]
const mostLooks = 4_000

export function makeTxSend({ clock, random, settings }: EngineParts, look: (endpointId: string) => Promise<void>): TxSend {
  const looks = new Set<() => void>()
  let running = false

  async function sendWithin(outlet: Outlet, batch: readonly Outgoing[]): Promise<Sent[]> {
    const results = new Map<Outgoing, Sent | PosthornError>()
    const endpointIds = new Set<string>()
    let open = batch
    for (let tries = 0; open.length > 0; tries += 1) {
      if (tries === mostRematches) throw neverMatched()
      const stale: Outgoing[] = []
      for (const { outgoing, envelope, answer } of await store(outlet, open)) {
        if (answer.kind === 'stale') stale.push(outgoing)
        else results.set(outgoing, sentOf(envelope, answer))
        if (answer.kind === 'stored') for (const id of dueNow(envelope)) endpointIds.add(id)
      }
      open = stale
    }
    lookLater([...endpointIds])
    return batch.map((outgoing) => {
      const sent = results.get(outgoing) ?? new PosthornError('store_failed', 'The store gave no answer for this message.')
      if (sent instanceof PosthornError) throw sent
      return sent
    })
  }

  function sendWithinSync(outlet: SyncOutlet, batch: readonly Outgoing[]): Sent[] {
    const now = clock.now()
    const envelopes = batch.map((outgoing) => envelopeOf(outgoing, matchSync(outlet, outgoing), now, random, () => false))
    const answers = outlet.enqueue({ owner: settings.owner, leaseMs: settings.leaseMs, now, envelopes })
    const stored = envelopes.filter((_, index) => answers[index]?.kind === 'stored')
    lookLater([...new Set(stored.flatMap(dueNow))])
    return envelopes.map((envelope, index) => {
      const answer = answers[index]
      if (answer === undefined || answer.kind === 'stale') throw neverMatched()
      const sent = sentOf(envelope, answer)
      if (sent instanceof PosthornError) throw sent
      return sent
    })
  }

  function matchSync(outlet: SyncOutlet, outgoing: Outgoing): Matching {
    const { application, mustExist } = outgoing
    const known = outlet.application(application)
    if (known === null && mustExist) throw unknownApplication(application)
    const { id } = known ?? outlet.createApplication(newApplication(application, clock.now(), random))
    const matching = outlet.matching(id)
    if (matching === null) throw unknownApplication(application)
    const refusal = refusedTarget(outgoing, { applicationId: id, ...matching })
    if (refusal !== null) throw refusal
    return { applicationId: id, ...matching }
  }

  async function store({ queue, directory }: Outlet, batch: readonly Outgoing[]) {
    const matchings = new Map<string, Matching>()
    for (const outgoing of batch) {
      const matching = matchings.get(outgoing.application) ?? (await match(directory, outgoing))
      const refusal = refusedTarget(outgoing, matching)
      if (refusal !== null) throw refusal
      matchings.set(outgoing.application, matching)
    }
    const now = clock.now()
    const drafts = batch.flatMap((outgoing) => {
      const matching = matchings.get(outgoing.application)
      return matching === undefined ? [] : [{ outgoing, envelope: envelopeOf(outgoing, matching, now, random, () => false) }]
    })
    const answers = await queue.enqueue({ owner: settings.owner, leaseMs: settings.leaseMs, now, envelopes: drafts.map(({ envelope }) => envelope) })
    return drafts.flatMap((draft, index) => {
      const answer = answers[index]
      return answer === undefined ? [] : [{ ...draft, answer }]
    })
  }

  /** Read anew each time: the transaction may have made or changed endpoints that nobody else can see. */
  async function match(directory: Outlet['directory'], { application, mustExist }: Outgoing): Promise<Matching> {
    const known = await directory.application(application)
    if (known === null && mustExist) throw unknownApplication(application)
    const { id } = known ?? (await directory.createApplication(newApplication(application, clock.now(), random)))
    const matching = await directory.matching(id)
    if (matching === null) throw unknownApplication(application)
    return { applicationId: id, ...matching }
  }

  function dueNow({ deliveries }: Envelope): string[] {
    return deliveries.filter(({ nextRetryAt }) => nextRetryAt <= clock.now()).map(({ endpointId }) => endpointId)
  }

  /** What finds no place in the list is found by the next probe or tick. */
  function lookLater(endpointIds: readonly string[]): void {
    if (!running || endpointIds.length === 0) return
    for (const ms of looksAfterMs) {
      if (looks.size >= mostLooks) return
      const disarm = clock.after(ms, () => {
        looks.delete(disarm)
        // A store that does not answer is told of by the cycle, which looks again, too.
        for (const id of endpointIds) look(id).catch(() => undefined)
      })
      looks.add(disarm)
    }
  }

  return {
    sendWithin,
    sendWithinSync,
    start() {
      running = true
    },
    stop() {
      running = false
      for (const disarm of looks) disarm()
      looks.clear()
    },
  }
}
