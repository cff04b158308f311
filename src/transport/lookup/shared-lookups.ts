import type { LookupAddress } from 'node:dns'
import { Lru } from '../../core/lru.ts'
import type { Clock } from '../../core/ports/ports.ts'
import { second } from '../../core/time.ts'
import type { LookedUp, Lookup } from './lookup.ts'

const mostAnswers = 10_000
const shortestSeconds = 1
const longestSeconds = 60
const failureSeconds = 1

/** Concurrent lookups of a name share one query. Answers are cached for a while, and a query that nobody waits for is cancelled. */
export class SharedLookups {
  private readonly clock: Clock
  private readonly ask: Lookup
  private readonly answers: Lru<string, Answer>
  private readonly questions = new Map<string, Question>()

  constructor(clock: Clock, ask: Lookup, most: number = mostAnswers) {
    this.clock = clock
    this.ask = ask
    this.answers = new Lru(most)
  }

  lookUp(hostname: string, done: LookedUp): () => void {
    const answer = this.freshAnswer(hostname)
    if (answer !== null) {
      done(answer.error, answer.addresses)
      return nothingToCancel
    }
    const waiter: Waiter = { done }
    const asked = this.questions.get(hostname)
    asked?.waiters.add(waiter)
    const question = asked ?? this.begin(hostname, waiter)
    return () => this.leave(question, waiter)
  }

  private freshAnswer(hostname: string): Answer | null {
    const answer = this.answers.get(hostname)
    if (answer === undefined) return null
    const ageMs = this.clock.now() - answer.at
    // A clock that was set back makes it older, never younger.
    return ageMs >= 0 && ageMs < answer.lastsMs ? answer : null
  }

  private begin(hostname: string, waiter: Waiter): Question {
    const question: Question = { hostname, waiters: new Set([waiter]), cancel: nothingToCancel }
    this.questions.set(hostname, question)
    question.cancel = this.ask(hostname, (error, addresses, ttlSeconds = 0) =>
      this.settle(question, error, addresses, ttlSeconds),
    )
    return question
  }

  private settle(
    question: Question,
    error: Error | null,
    addresses: readonly LookupAddress[],
    ttlSeconds: number,
  ): void {
    const { hostname } = question
    if (this.questions.get(hostname) !== question) return // It was cancelled.
    this.questions.delete(hostname)
    const hasFailed = error !== null || addresses.length === 0
    const seconds = hasFailed ? failureSeconds : Math.min(Math.max(ttlSeconds, shortestSeconds), longestSeconds)
    this.answers.set(hostname, { error, addresses, at: this.clock.now(), lastsMs: seconds * second })
    for (const { done } of question.waiters) done(error, addresses)
  }

  private leave(question: Question, waiter: Waiter): void {
    question.waiters.delete(waiter)
    if (question.waiters.size > 0 || this.questions.get(question.hostname) !== question) return
    this.questions.delete(question.hostname)
    question.cancel()
  }
}

interface Answer {
  readonly error: Error | null
  readonly addresses: readonly LookupAddress[]
  readonly at: number
  readonly lastsMs: number
}

interface Question {
  readonly hostname: string
  readonly waiters: Set<Waiter>
  cancel: () => void
}

interface Waiter {
  readonly done: LookedUp
}

function nothingToCancel(): void {
  // The answer was known, or the query has not been sent yet.
}
