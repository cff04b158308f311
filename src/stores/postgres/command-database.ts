import { checkTarget, connections } from './connections.ts'
import { checkSchema, postgresDatabase, postgresDialect } from './database.ts'
import type { PostgresDatabase } from './database.ts'

const questionTimeoutMs = 10_000

/** Options for a command to find the tables. */
export interface CommandDatabaseOptions {
  readonly schema: string
  readonly prepare: boolean
}

/** A database for a single command, which closes it when done. */
export function commandDatabase(url: string, { schema, prepare }: CommandDatabaseOptions): PostgresDatabase {
  checkTarget(url)
  checkSchema(schema)
  return postgresDatabase(connections(url, { timeoutMs: questionTimeoutMs, prepare }), postgresDialect(schema))
}
