import type { Lease } from '../../../core/delivery/lease.ts'
import type {
  Enqueued,
  EnqueueRequest,
  MarkRequest,
  Marked,
  Queue,
  ReleaseRequest,
  StartRequest,
} from '../../../core/ports/queue.ts'
import type { Instant } from '../../../core/time.ts'
import { Lane, loopTurns } from './lane.ts'
import type { Turns } from './lane.ts'
import { Line } from './line.ts'

const mostRows = 500

/**
 * A queue whose calls share statements: calls that arrive while one statement runs go into the next. Writes under the leases of one owner
 * run one statement at a time, because two statements that lock the same rows could deadlock. Messages are stored in parallel to them.
 */
export function batched(queue: Queue, turns: Turns = loopTurns): Queue {
  const sends = new Line(mostRows, sendsOf(queue))
  const sending = new Lane([sends], turns)
  const owners = new Map<string, LeaseWrites>()

  /** The writes of an owner that has some in progress; idle owners are forgotten. */
  function of(owner: string): LeaseWrites {
    const known = owners.get(owner)
    if (known !== undefined) return known
    const writes = leaseWrites(queue, turns, () => owners.delete(owner))
    owners.set(owner, writes)
    return writes
  }

  return {
    ...queue,
    enqueue: (request) => sending.add(sends, request),
    mark: (request) => of(request.owner).mark(request),
    start: (request) => of(request.owner).start(request),
    renew: (request) => of(request.owner).renew(request),
    release: (request) => of(request.owner).release(request),
  }
}

type LeaseWrites = Pick<Queue, 'mark' | 'start' | 'renew' | 'release'>

/** Everything one owner writes under its leases. Marks go first, because they free capacity that others wait for. */
function leaseWrites(queue: Queue, turns: Turns, idle: () => void): LeaseWrites {
  const marks = new Line(mostRows, marksOf(queue))
  const starts = new Line(mostRows, startsOf(queue))
  // A renewal already covers all leases, so there is nothing to batch.
  const renewals = new Line(1, {
    sizeOf: () => 1,
    commit: async ([request]: readonly Renewal[]) => (request === undefined ? [] : [await queue.renew(request)]),
  })
  const releases = new Line(mostRows, releasesOf(queue))
  const lane = new Lane([marks, starts, renewals, releases], turns, idle)
  return {
    mark: (request) => lane.add(marks, request),
    start: (request) => lane.add(starts, request),
    renew: (request) => lane.add(renewals, request),
    release: (request) => lane.add(releases, request),
  }
}

type Renewal = Parameters<Queue['renew']>[0]

function sendsOf(queue: Queue) {
  return {
    isAlike: (one: EnqueueRequest, other: EnqueueRequest) => one.owner === other.owner && one.leaseMs === other.leaseMs,
    sizeOf: ({ envelopes }: EnqueueRequest) => envelopes.length,
    tenantOf: ({ envelopes }: EnqueueRequest) => envelopes[0]?.message.applicationId ?? '',
    // Checked once, before the first statement that includes the request.
    withdrawn: ({ begins, envelopes }: EnqueueRequest): Enqueued[] | null =>
      begins?.() === false ? envelopes.map(() => ({ kind: 'withdrawn' })) : null,
    async commit(requests: readonly EnqueueRequest[]): Promise<Enqueued[][]> {
      const [{ owner, leaseMs } = { owner: '', leaseMs: 0 }] = requests
      const answers = await queue.enqueue({
        owner,
        leaseMs,
        now: latest(requests),
        envelopes: requests.flatMap(({ envelopes }) => envelopes),
      })
      return shared(
        answers,
        requests.map(({ envelopes }) => envelopes.length),
      )
    },
  }
}

function marksOf(queue: Queue) {
  return {
    sizeOf: ({ marks }: MarkRequest) => marks.length,
    changedBy: ({ marks }: MarkRequest) => marks.map(({ deliveryId }) => deliveryId),
    async commit(requests: readonly MarkRequest[]): Promise<Marked[][]> {
      const answers = await queue.mark({
        owner: ownerOf(requests),
        now: latest(requests),
        marks: requests.flatMap(({ marks }) => marks),
      })
      return shared(
        answers,
        requests.map(({ marks }) => marks.length),
      )
    },
  }
}

function startsOf(queue: Queue) {
  return {
    sizeOf: ({ starts }: StartRequest) => starts.length,
    changedBy: ({ starts }: StartRequest) => starts.map(({ deliveryId }) => deliveryId),
    async commit(requests: readonly StartRequest[]): Promise<string[][]> {
      const held = await queue.start({
        owner: ownerOf(requests),
        now: latest(requests),
        starts: requests.flatMap(({ starts }) => starts),
      })
      return heldOf(
        requests.map(({ starts }) => starts),
        held,
      )
    },
  }
}

function releasesOf(queue: Queue) {
  return {
    sizeOf: ({ leases }: ReleaseRequest) => leases.length,
    changedBy: ({ leases }: ReleaseRequest) => leases.map(({ deliveryId }) => deliveryId),
    async commit(requests: readonly ReleaseRequest[]): Promise<string[][]> {
      const held = await queue.release({
        owner: ownerOf(requests),
        now: latest(requests),
        leases: requests.flatMap(({ leases }) => leases),
      })
      return heldOf(
        requests.map(({ leases }) => leases),
        held,
      )
    },
  }
}

/** Gives each request its own deliveries: no two requests of a batch share one. */
function heldOf(requested: readonly (readonly Lease[])[], held: readonly string[]): string[][] {
  const answers = requested.map((): string[] => [])
  const places = new Map(requested.flatMap((leases, place) => leases.map(({ deliveryId }) => [deliveryId, place])))
  for (const deliveryId of held) answers[places.get(deliveryId) ?? -1]?.push(deliveryId)
  return answers
}

function latest(requests: readonly { readonly now: Instant }[]): Instant {
  return Math.max(...requests.map(({ now }) => now))
}

function ownerOf(requests: readonly { readonly owner: string }[]): string {
  return requests[0]?.owner ?? ''
}

/** Gives each request its share of the answers. */
function shared<Answer>(answers: readonly Answer[], counts: readonly number[]): Answer[][] {
  let from = 0
  return counts.map((count) => answers.slice(from, (from += count)))
}
