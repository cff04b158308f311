import { DatabaseSync } from '@photostructure/sqlite'
import type { SqliteDriver } from '../../src/stores/sqlite/index.ts'

/** A driver that counts how often each statement ran. */
export class RecordingDriver implements SqliteDriver {
  readonly #database: InstanceType<typeof DatabaseSync>
  readonly #runs: Map<string, number>

  constructor(path: string, runs: Map<string, number>) {
    this.#database = new DatabaseSync(path)
    this.#runs = runs
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction
  }

  exec(sql: string): void {
    this.#database.exec(sql)
  }

  prepare(sql: string): ReturnType<SqliteDriver['prepare']> {
    const statement = this.#database.prepare(sql)
    const counted =
      <Result>(work: (...values: never[]) => Result) =>
      (...values: never[]): Result => {
        this.#runs.set(sql, (this.#runs.get(sql) ?? 0) + 1)
        return work(...values)
      }
    return {
      run: counted((...values) => statement.run(...values)),
      get: counted((...values) => statement.get(...values)),
      all: counted((...values) => statement.all(...values)),
      iterate: counted((...values) => statement.iterate(...values)),
    }
  }

  close(): void {
    this.#database.close()
  }
}

/** The tables and indexes that a statement may write a row of, once for each time it does. */
export function writesOf(path: string, sql: string): string[] {
  const database = new DatabaseSync(path)
  try {
    const program = database.prepare(`explain ${sql}`).all() as { opcode: string; p1: number; p2: number }[]
    const roots = new Map(program.filter(({ opcode }) => opcode === 'OpenWrite').map(({ p1, p2 }) => [p1, p2]))
    return program
      .filter(({ opcode, p1 }) => writing.has(opcode) && roots.has(p1))
      .map(({ opcode, p1 }) => `${opcode} ${nameOf(database, roots.get(p1) ?? 0)}`)
  } finally {
    database.close()
  }
}

const writing = new Set(['Insert', 'IdxInsert', 'Delete', 'IdxDelete'])

function nameOf(database: InstanceType<typeof DatabaseSync>, root: number): string {
  const found = database.prepare('select name from sqlite_schema where rootpage = ?').get(root) as { name: string }
  return found.name
}
