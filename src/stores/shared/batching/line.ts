import { PosthornError } from '../../../core/errors.ts'
import { TenantPlaces } from './tenant-places.ts'

/** How requests of one kind are combined into one statement. */
export interface Kind<Request, Answer> {
  /** How many rows a request has. */
  sizeOf(request: Request): number
  /** The rows that a request changes: two requests for the same row never share a statement. Absent if requests only add rows. */
  changedBy?(request: Request): readonly string[]
  /** False for two requests that must not share a statement. */
  isAlike?(one: Request, other: Request): boolean
  /** The tenant of a request: tenants with many waiting requests leave places in a statement to those with few. */
  tenantOf?(request: Request): string
  /** Called right before the first statement; returns an answer if the request should not be sent at all. */
  withdrawn?(request: Request): Answer | null
  /** Sends one statement for all requests; returns the answers in the same order. */
  commit(requests: readonly Request[]): Promise<Answer[]>
}

interface Member<Request, Answer> {
  readonly request: Request
  /** Counts up: the order in which requests were added. */
  readonly number: number
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/** The requests of one statement, while they are being chosen. */
interface Batch<Request, Answer> {
  readonly members: Member<Request, Answer>[]
  /** The rows that these requests change, and those that were skipped: a later request for the same row must not overtake them. */
  readonly changed: Set<string>
  /** How many more rows there is room for. */
  free: number
}

/** Requests of one kind, waiting for the next statement. */
export class Line<Request, Answer> {
  readonly #most: number
  readonly #kind: Kind<Request, Answer>
  /** Null if tenants are not told apart. */
  readonly #places: TenantPlaces | null
  /** By tenant: however many requests one of them has, choosing costs only as much as what is chosen. */
  readonly #waiting = new Map<string, Member<Request, Answer>[]>()
  #size = 0
  #added = 0

  /** At most this many rows share a statement; a larger request gets its own. */
  constructor(most: number, kind: Kind<Request, Answer>) {
    this.#most = most
    this.#kind = kind
    this.#places = kind.tenantOf === undefined ? null : new TenantPlaces()
  }

  get size(): number {
    return this.#size
  }

  add(request: Request): Promise<Answer> {
    const tenant = this.#kind.tenantOf?.(request) ?? ''
    this.#places?.add(tenant)
    this.#size += 1
    this.#added += 1
    const number = this.#added
    return new Promise((resolve, reject) => {
      const member = { request, number, resolve, reject }
      const queue = this.#waiting.get(tenant)
      if (queue === undefined) this.#waiting.set(tenant, [member])
      else queue.push(member)
    })
  }

  /** Sends the next statement, if any request is waiting, and answers all requests in it; never throws. */
  async commitNext(): Promise<void> {
    const members = this.#take().filter((member) => !this.#isWithdrawn(member))
    if (members.length > 0) await this.#commit(members)
  }

  /** The oldest requests of each tenant that can share a statement. A tenant with more of them is the last to choose next time. */
  #take(): Member<Request, Answer>[] {
    const batch: Batch<Request, Answer> = { members: [], changed: new Set(), free: this.#most }
    let tenants = this.#waiting.size
    for (const [tenant, queue] of this.#waiting) {
      if (tenants === 0 || batch.free <= 0) break
      tenants -= 1
      const before = batch.members.length
      this.#takeOf(tenant, queue, batch)
      if (queue.length === 0 || batch.members.length > before) this.#waiting.delete(tenant)
      if (queue.length > 0 && batch.members.length > before) this.#waiting.set(tenant, queue)
    }
    this.#places?.next()
    this.#size -= batch.members.length
    return batch.members.toSorted((one, other) => one.number - other.number)
  }

  /** Moves requests from the tenant's queue to the batch; those that cannot share it keep their positions. */
  #takeOf(tenant: string, queue: Member<Request, Answer>[], batch: Batch<Request, Answer>): void {
    const skipped: Member<Request, Answer>[] = []
    let seen = 0
    for (const member of queue) {
      if (batch.free <= 0) break
      const size = this.#kind.sizeOf(member.request)
      const changed = this.#kind.changedBy?.(member.request) ?? none
      const fits = this.#canShare(batch, member.request, size, changed)
      if (fits && this.#places?.take(tenant) === false) break
      seen += 1
      if (fits) {
        batch.members.push(member)
        batch.free -= size
      } else skipped.push(member)
      for (const row of changed) batch.changed.add(row)
    }
    queue.splice(0, seen, ...skipped)
  }

  /** The first one always can, whatever its size. */
  #canShare(batch: Batch<Request, Answer>, request: Request, size: number, changed: readonly string[]): boolean {
    const [first] = batch.members
    if (first === undefined) return true
    if (this.#kind.isAlike?.(first.request, request) === false) return false
    return size <= batch.free && !changed.some((row) => batch.changed.has(row))
  }

  #isWithdrawn({ request, resolve, reject }: Member<Request, Answer>): boolean {
    try {
      const answer = this.#kind.withdrawn?.(request) ?? null
      if (answer !== null) resolve(answer)
      return answer !== null
    } catch (error) {
      reject(error)
      return true
    }
  }

  /** If the data is refused, the batch is split in half until the faulty request is alone. Any other error goes to all requests at once. */
  async #commit(members: Member<Request, Answer>[]): Promise<void> {
    const batches = [members]
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
      try {
        const answers = await this.#kind.commit(batch.map(({ request }) => request))
        for (const [index, answer] of answers.entries()) batch[index]?.resolve(answer)
      } catch (error) {
        if (!isOfData(error)) return rejectAll([...batch, ...batches.flat()], error)
        const half = Math.ceil(batch.length / 2)
        if (batch.length === 1) rejectAll(batch, error)
        else batches.unshift(batch.slice(0, half), batch.slice(half))
      }
    }
  }
}

const none: readonly string[] = []

function rejectAll(members: readonly Pick<Member<never, never>, 'reject'>[], error: unknown): void {
  for (const { reject } of members) reject(error)
}

/** True if the store refused the data: nothing was stored, and the other requests of the batch may be fine. */
function isOfData(error: unknown): boolean {
  return error instanceof PosthornError && (error.code === 'data_refused' || error.code === 'already_exists')
}
