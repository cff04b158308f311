import { SharedLimit } from '../../src/core/limits/shared-limit.ts'

/** A limit that all share without a share of their own: whoever comes first takes it all. */
export class UnsharedLimit extends SharedLimit {
  override take(_holder: string | null, amount = 1): boolean {
    return super.take(null, amount)
  }

  override release(_holder: string | null, amount = 1): void {
    super.release(null, amount)
  }
}
