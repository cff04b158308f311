/** What a database is, for a person who looks for what is wrong with it. */
export interface Inspected {
  /** Such as `SQLite 3.53.0`. */
  readonly engine: string
  readonly schemaVersion: number
  /** The version that this release works with. */
  readonly wantedVersion: number
  /** How many connections the server has open, and how many it takes; null where there is no server. */
  readonly connections: { readonly used: number; readonly most: number } | null
}
