/** Facts about a database, for troubleshooting. */
export interface Inspected {
  /** For example `SQLite 3.53.0`. */
  readonly engine: string
  readonly schemaVersion: number
  /** The version that this release requires. */
  readonly wantedVersion: number
  /** How many connections the server has open, and how many it allows; null without a server. */
  readonly connections: { readonly used: number; readonly most: number } | null
}
