import { expected } from '../../core/errors.ts'
import type { Clock } from '../../core/ports/ports.ts'
import type { Activity } from '../activity.ts'
import { Deadlines } from './deadlines.ts'
import type { Deadline } from './deadlines.ts'

const mostWaiting = 10_000
const mostWaitingBytes = 64 * 1024 * 1024
const sendEndsMs = 10_000

/** Messages being stored: a limited number at once, and none for longer than ten seconds. */
export class WaitingSends {
  readonly #activity: Activity
  readonly #deadlines: Deadlines
  #count = 0
  #bytes = 0

  constructor(clock: Clock, activity: Activity) {
    this.#activity = activity
    this.#deadlines = new Deadlines(clock, sendEndsMs)
  }

  /** Stores one message within the time limit; refuses it with `overloaded` if too many are waiting. */
  wait<Result>(bytes: number, store: (deadline: Deadline) => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#checkRoom(bytes)
      this.#count += 1
      this.#bytes += bytes
      this.#activity.begin()
      let isOver = false
      const end = (): void => {
        if (isOver) return
        isOver = true
        this.#deadlines.end(deadline)
        this.#count -= 1
        this.#bytes -= bytes
        this.#activity.end()
      }
      const fail = (error: unknown): void => {
        end()
        reject(error)
      }
      const deadline = this.#deadlines.begin(fail)
      store(deadline).then((result) => {
        end()
        resolve(result)
      }, fail)
    })
  }

  #checkRoom(bytes: number): void {
    if (this.#count < mostWaiting && this.#bytes + bytes <= mostWaitingBytes) return
    const advice = 'Nothing of this message was stored; slow down and send it again.'
    throw expected(
      'overloaded',
      'send queue',
      `under ${mostWaiting} messages and ${mostWaitingBytes} bytes`,
      this.#count,
      advice,
    )
  }
}
