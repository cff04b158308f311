import { PosthornError } from '../../../core/errors.ts'
import { TenantPlaces } from './tenant-places.ts'

/** How requests of one kind become one statement. */
export interface Kind<Request, Answer> {
  /** The rows that a request is about: no two requests about one row share a statement. */
  rowsOf(request: Request): readonly string[]
  /** Requests of different groups never share a statement. */
  groupOf?(request: Request): string
  /** Who a request is for: those with many waiting leave places in a statement to those with few. */
  tenantOf?(request: Request): string
  /** Asked right before the first statement: an answer if the request is not to be sent at all. */
  withdrawn?(request: Request): Answer | null
  /** Sends one statement for all of them; answers in the order given. */
  commit(requests: readonly Request[]): Promise<Answer[]>
}

interface Member<Request, Answer> {
  readonly request: Request
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/** Requests of one kind that wait for the next statement. */
export class Line<Request, Answer> {
  readonly #most: number
  readonly #kind: Kind<Request, Answer>
  #waiting: Member<Request, Answer>[] = []

  /** At most so many rows share a statement; a request with more has one of its own. */
  constructor(most: number, kind: Kind<Request, Answer>) {
    this.#most = most
    this.#kind = kind
  }

  get size(): number {
    return this.#waiting.length
  }

  add(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => this.#waiting.push({ request, resolve, reject }))
  }

  /** Sends the next statement, if somebody waits, and answers everyone in it; never throws. */
  async commitNext(): Promise<void> {
    const members = this.#take().filter((member) => !this.#isWithdrawn(member))
    if (members.length > 0) await this.#commit(members)
  }

  /** Those that have come first of those that go together; the others keep their places. */
  #take(): Member<Request, Answer>[] {
    const [first] = this.#waiting
    if (first === undefined) return []
    const group = this.#groupOf(first)
    const taken: Member<Request, Answer>[] = []
    const left: Member<Request, Answer>[] = []
    const seen = new Set<string>()
    const places = new TenantPlaces(this.#waiting.map((member) => this.#tenantOf(member)))
    let free = this.#most
    for (const member of this.#waiting) {
      const rows = this.#kind.rowsOf(member.request)
      const fits =
        rows.length <= free &&
        !rows.some((row) => seen.has(row)) &&
        this.#groupOf(member) === group &&
        places.take(this.#tenantOf(member))
      const goes = member === first || fits
      const list = goes ? taken : left
      list.push(member)
      if (goes) free -= rows.length
      // Also of those that are left: what comes later about the same row must not overtake.
      for (const row of rows) seen.add(row)
    }
    this.#waiting = left
    return taken
  }

  #tenantOf({ request }: Member<Request, Answer>): string {
    return this.#kind.tenantOf?.(request) ?? ''
  }

  #groupOf({ request }: Member<Request, Answer>): string | undefined {
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

  /** What was refused for its data is split by halves until the one that is at fault is alone. Any other error is everybody's at once. */
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

/** True if the store has refused what was to be written, so that nothing of it is stored, and the others of the batch may well be. */
function isOfData(error: unknown): boolean {
  return error instanceof PosthornError && (error.code === 'data_refused' || error.code === 'already_exists')
}
