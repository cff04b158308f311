export interface Page {
  readonly limit: number
  /** The last id of the previous page; null for the first page. */
  readonly after: string | null
  /** By id, and so by time; each list has its own default. */
  readonly order?: Order | undefined
}

export type Order = 'ascending' | 'descending'

/** Part of a list that is filtered as it is read: perhaps fewer than requested, although there are more. */
export interface Scan<Item> {
  readonly items: readonly Item[]
  /** The id to continue after; null if everything was read. */
  readonly next: string | null
}
