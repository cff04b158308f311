/** What a database is, for a person who looks for what is wrong with it. */
export interface Inspected {
  /** Such as `SQLite 3.53.0`. */
  readonly engine: string
  readonly schemaVersion: number
  /** The version that this release works with. */
  readonly wantedVersion: number
}
