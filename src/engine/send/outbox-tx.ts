import { PosthornError } from '../../core/errors.ts'
import type { MatchedApplication, StoreTransaction, SyncStoreTransaction } from '../../core/ports/ports.ts'
import type { Enqueued, Envelope } from '../../core/ports/queue.ts'
import { Subscribers } from '../../core/endpoint/subscribers.ts'
import {
  envelopeOf,
  firstUse,
  mostRematches,
  neverMatched,
  newApplication,
  refusedEndpoint,
  sentOf,
  unknownApplication,
} from './envelope.ts'
import type { Matching, Outgoing, Sent } from './envelope.ts'
import type { EngineParts } from '../parts.ts'

// A transaction usually ends soon after its last statement: the longer it takes, the less often we look.
const looksAfterMs = [10, 40, 160, 640]
const mostLooks = 4_000

type TxOutboxParts = Pick<EngineParts, 'clock' | 'random' | 'settings' | 'meter'>

interface Draft {
  readonly outgoing: Outgoing
  readonly envelope: Envelope
}

/** Sends within the application's own transaction. We do not know whether it commits, so nothing is emitted and nothing leaves yet. */
export class TxOutbox {
  readonly #parts: TxOutboxParts
  readonly #look: (endpointId: string) => Promise<void>
  readonly #looks = new Set<() => void>()
  #running = false

  constructor(parts: TxOutboxParts, look: (endpointId: string) => Promise<void>) {
    this.#parts = parts
    this.#look = look
  }

  start(): void {
    this.#running = true
  }

  stop(): void {
    this.#running = false
    for (const disarm of this.#looks) disarm()
    this.#looks.clear()
  }

  async send(transaction: StoreTransaction, batch: readonly Outgoing[]): Promise<Sent[]> {
    const results = new Map<Outgoing, Sent | PosthornError>()
    const endpointIds = new Set<string>()
    let open = batch
    for (let tries = 0; open.length > 0; tries += 1) {
      if (tries === mostRematches) throw neverMatched()
      const stale: Outgoing[] = []
      for (const { outgoing, envelope, answer } of await this.#store(transaction, open)) {
        if (answer.kind === 'stale') stale.push(outgoing)
        else if (answer.kind !== 'withdrawn') results.set(outgoing, sentOf(envelope, answer))
        if (answer.kind === 'stored') for (const id of this.#stored(envelope)) endpointIds.add(id)
      }
      open = stale
    }
    this.#lookLater([...endpointIds])
    return batch.map((outgoing) => sentOrThrow(results.get(outgoing)))
  }

  /** The same without waiting: when it returns, everything is in the transaction. */
  sendSync(transaction: SyncStoreTransaction, batch: readonly Outgoing[]): Sent[] {
    const {
      clock,
      random,
      settings: { owner, leaseMs },
    } = this.#parts
    const now = clock.now()
    const envelopes = batch.map((outgoing) =>
      envelopeOf(outgoing, this.#matchSync(transaction, outgoing), { now, random, leases: () => false, reliesOn: [] }),
    )
    const answers = transaction.enqueue({ owner, leaseMs, now, envelopes })
    const stored = envelopes.filter((_, index) => answers[index]?.kind === 'stored')
    this.#lookLater([...new Set(stored.flatMap((envelope) => this.#stored(envelope)))])
    return envelopes.map((envelope, index) => {
      const answer = answers[index]
      if (answer === undefined || answer.kind === 'stale' || answer.kind === 'withdrawn') throw neverMatched()
      return sentOrThrow(sentOf(envelope, answer))
    })
  }

  #matchSync(transaction: SyncStoreTransaction, outgoing: Outgoing): Matching {
    const { clock, random } = this.#parts
    const { application, mustExist } = outgoing
    const known = transaction.application(application)
    if (known === null && mustExist) throw unknownApplication(application)
    const { id } = known ?? transaction.createApplication(newApplication(application, clock.now(), random), firstUse)
    const read = transaction.matching(id)
    if (read === null) throw unknownApplication(application)
    return matchingFor(outgoing, { applicationId: id, ...read })
  }

  async #store(transaction: StoreTransaction, batch: readonly Outgoing[]): Promise<(Draft & { answer: Enqueued })[]> {
    const {
      clock,
      random,
      settings: { owner, leaseMs },
    } = this.#parts
    const matchings = await this.#match(transaction, batch)
    const now = clock.now()
    const drafts = batch.map((outgoing, index): Draft => {
      const matching = matchings[index] ?? raise(unknownApplication(outgoing.application))
      return { outgoing, envelope: envelopeOf(outgoing, matching, { now, random, leases: () => false, reliesOn: [] }) }
    })
    const envelopes = drafts.map(({ envelope }) => envelope)
    const answers = await transaction.queue.enqueue({ owner, leaseMs, now, envelopes })
    return drafts.flatMap((draft, index) => {
      const answer = answers[index]
      return answer === undefined ? [] : [{ ...draft, answer }]
    })
  }

  /** Read every time: the transaction may have created or changed endpoints that only it can see. */
  async #match(transaction: StoreTransaction, batch: readonly Outgoing[]): Promise<Matching[]> {
    const names = [...new Set(batch.map(({ application }) => application))]
    const { applications: known } = await transaction.look(names)
    const missing = names.filter((name) => !known.has(name))
    const created = missing.length === 0 ? known : await this.#create(transaction, batch, missing)
    return batch.map((outgoing) => {
      const { application } = outgoing
      const read = known.get(application) ?? created.get(application)
      return matchingFor(outgoing, read ?? raise(unknownApplication(application)))
    })
  }

  async #create(transaction: StoreTransaction, batch: readonly Outgoing[], missing: readonly string[]) {
    const { clock, random } = this.#parts
    const required = batch.find(({ application, mustExist }) => mustExist && missing.includes(application))
    if (required !== undefined) throw unknownApplication(required.application)
    for (const name of missing) await transaction.createApplication(newApplication(name, clock.now(), random), firstUse)
    return (await transaction.look(missing)).applications
  }

  /** The endpoints to look at once the transaction may have ended. */
  #stored({ deliveries }: Envelope): string[] {
    this.#parts.meter?.messageAccepted('transaction')
    const now = this.#parts.clock.now()
    return deliveries.filter(({ nextRetryAt }) => nextRetryAt <= now).map(({ endpointId }) => endpointId)
  }

  /** If the list is full, the next look or tick finds the rows. */
  #lookLater(endpointIds: readonly string[]): void {
    if (!this.#running || endpointIds.length === 0) return
    for (const ms of looksAfterMs) {
      if (this.#looks.size >= mostLooks) return
      const disarm = this.#parts.clock.after(ms, () => {
        this.#looks.delete(disarm)
        // The cycle reports a store that does not answer, and looks again, too.
        for (const id of endpointIds) this.#look(id).catch(() => undefined)
      })
      this.#looks.add(disarm)
    }
  }
}

function matchingFor(outgoing: Outgoing, read: MatchedApplication): Matching {
  const { applicationId, endpointsVersion, endpoints } = read
  const matching = { applicationId, endpointsVersion, subscribers: new Subscribers(endpoints) }
  const refusal = refusedEndpoint(outgoing, matching)
  if (refusal !== null) throw refusal
  return matching
}

function sentOrThrow(sent: Sent | PosthornError | undefined): Sent {
  if (sent === undefined) throw new PosthornError('store_failed', 'The store gave no answer for this message.')
  if (sent instanceof PosthornError) throw sent
  return sent
}

function raise(error: PosthornError): never {
  throw error
}
