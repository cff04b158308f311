import { PosthornError } from '../../core/errors.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { Directory } from '../../core/ports/directory.ts'
import type { Meter } from '../../core/ports/meter.ts'
import type { EnqueueRequest, MarkRequest, Queue, ReleaseRequest, StartRequest } from '../../core/ports/queue.ts'

/** The same queue with timed statements. Below a batcher, each of its calls is one statement for all callers that share it. */
export function meteredQueue(queue: Queue, meter: Meter): Queue {
  const timed = meteredCalls(queue, meter)
  return {
    ...timed,
    enqueue(request: EnqueueRequest) {
      meter.committed('enqueue', request.envelopes.length)
      return timed.enqueue(request)
    },
    mark(request: MarkRequest) {
      meter.committed('mark', request.marks.length)
      return timed.mark(request)
    },
    start(request: StartRequest) {
      meter.committed('start', request.starts.length)
      return timed.start(request)
    },
    release(request: ReleaseRequest) {
      meter.committed('release', request.leases.length)
      return timed.release(request)
    },
  }
}

export function meteredDirectory(directory: Directory, meter: Meter): Directory {
  return meteredCalls(directory, meter)
}

type Call = (...given: readonly unknown[]) => Promise<unknown>

function meteredCalls<Calls extends object>(calls: Calls, meter: Meter): Calls {
  const entries = Object.entries(calls).map(([name, call]) => [name, timedCall(name, call as Call, meter)])
  return Object.fromEntries(entries) as Calls
}

function timedCall(name: string, call: Call, meter: Meter): Call {
  return async (...given) => {
    const begunAtMs = meter.nowMs()
    try {
      const answer = await call(...given)
      meter.storeCalled(name, meter.nowMs() - begunAtMs)
      return answer
    } catch (error) {
      meter.storeFailed(name, codeOf(error), meter.nowMs() - begunAtMs)
      throw error
    }
  }
}

function codeOf(error: unknown): ErrorCode {
  return error instanceof PosthornError ? error.code : 'store_failed'
}
