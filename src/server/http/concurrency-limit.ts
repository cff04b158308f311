import { refusal } from '../errors/error-response.ts'

/** Counts what is under way, and refuses more than the given number at once. */
export interface ConcurrencyLimit {
  enter(): boolean
  leave(): void
}

export function makeConcurrencyLimit(most: number): ConcurrencyLimit {
  let underWay = 0
  return {
    enter() {
      if (underWay >= most) return false
      underWay += 1
      return true
    },
    leave() {
      underWay -= 1
    },
  }
}

export function overloaded(): Response {
  return refusal(503, 'overloaded', 'Too many requests are under way. Repeat this one later.', { 'retry-after': '1' })
}
