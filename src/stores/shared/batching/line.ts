import { PosthornError } from '../../../core/errors.ts'
import { TenantPlaces } from './tenant-places.ts'

/** How requests of one kind are combined into one statement. */
export interface Kind<Request, Answer> {
  /** The rows a request touches: two requests for the same row never share a statement. */
  rowsOf(request: Request): readonly string[]
  /** Requests of different groups never share a statement. */
  groupOf?(request: Request): string
  /** The tenant of a request: tenants with many waiting requests leave places in a statement to those with few. */
  tenantOf?(request: Request): string
  /** Called right before the first statement; returns an answer if the request should not be sent at all. */
  withdrawn?(request: Request): Answer | null
  /** Sends one statement for all requests; returns the answers in the same order. */
  commit(requests: readonly Request[]): Promise<Answer[]>
}

interface Member<Request, Answer> {
  readonly request: Request
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/** Requests of one kind, waiting for the next statement. */
export class Line<Request, Answer> {
  readonly #most: number
  readonly #kind: Kind<Request, Answer>
  readonly #places = new TenantPlaces()
  #waiting: Member<Request, Answer>[] = []

  /** At most this many rows share a statement; a larger request gets its own. */
  constructor(most: number, kind: Kind<Request, Answer>) {
    this.#most = most
    this.#kind = kind
  }

  get size(): number {
    return this.#waiting.length
  }

  add(request: Request): Promise<Answer> {
    this.#places.add(this.#tenantOf(request))
    return new Promise((resolve, reject) => this.#waiting.push({ request, resolve, reject }))
  }

  /** Sends the next statement, if any request is waiting, and answers all requests in it; never throws. */
  async commitNext(): Promise<void> {
    const members = this.#take().filter((member) => !this.#isWithdrawn(member))
    if (members.length > 0) await this.#commit(members)
  }

  /** The oldest requests that can share a statement; the others keep their positions. */
  #take(): Member<Request, Answer>[] {
    const [first] = this.#waiting
    if (first === undefined) return []
    const group = this.#groupOf(first.request)
    const taken: Member<Request, Answer>[] = []
    const left: Member<Request, Answer>[] = []
    const seen = new Set<string>()
    let free = this.#most
    for (const member of this.#waiting) {
      if (free <= 0) {
        left.push(member)
        continue
      }
      const { request } = member
      const rows = this.#kind.rowsOf(request)
      const fits = rows.length <= free && !rows.some((row) => seen.has(row)) && this.#groupOf(request) === group
      const goes = (member === first || fits) && this.#places.take(this.#tenantOf(request))
      if (goes) {
        taken.push(member)
        free -= rows.length
      } else left.push(member)
      // Skipped requests count too: a later request for the same row must not overtake them.
      for (const row of rows) seen.add(row)
    }
    this.#places.next()
    this.#waiting = left
    return taken
  }

  #tenantOf(request: Request): string {
    return this.#kind.tenantOf?.(request) ?? ''
  }

  #groupOf(request: Request): string | undefined {
    return this.#kind.groupOf?.(request)
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

function rejectAll(members: readonly Pick<Member<never, never>, 'reject'>[], error: unknown): void {
  for (const { reject } of members) reject(error)
}

/** True if the store refused the data: nothing was stored, and the other requests of the batch may be fine. */
function isOfData(error: unknown): boolean {
  return error instanceof PosthornError && (error.code === 'data_refused' || error.code === 'already_exists')
}
