/** A schema that cannot be applied to a value within its limits; the message says why. */
export class CannotApply extends Error {
  override readonly name = 'CannotApply'
}

// A level takes about four stack frames, and a body that came over HTTP has at most 64 levels.
const mostLevels = 500

/** Counts the steps of one check, so that no schema and no value can make it take long. */
export class Cost {
  readonly #mostSteps: number
  #steps = 0
  #levels = 0

  constructor(mostSteps: number) {
    this.#mostSteps = mostSteps
  }

  get steps(): number {
    return this.#steps
  }

  spend(steps: number): void {
    this.#steps += steps
    if (this.#steps > this.#mostSteps)
      throw new CannotApply(`it takes more than ${this.#mostSteps} steps to check this value against it`)
  }

  enter(): void {
    this.#levels += 1
    if (this.#levels > mostLevels)
      throw new CannotApply(`it goes round in circles, or is more than ${mostLevels} levels deep`)
  }

  leave(): void {
    this.#levels -= 1
  }
}
