/** Counts the work in progress in this process, so that others can wait until it is idle. */
export class Activity {
  #count = 0
  #waiters: (() => void)[] = []

  begin(): void {
    this.#count += 1
  }

  end(): void {
    this.#count -= 1
    if (this.#count === 0) for (const resolve of this.#waiters.splice(0)) resolve()
  }

  /** Counts a piece of work until it ends, whether it succeeds or fails. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.begin()
    try {
      return await work()
    } finally {
      this.end()
    }
  }

  get isIdle(): boolean {
    return this.#count === 0
  }

  async idle(): Promise<void> {
    while (this.#count > 0) await new Promise<void>((resolve) => this.#waiters.push(resolve))
  }
}
