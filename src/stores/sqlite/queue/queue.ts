import type { Queue } from '../../../core/ports/queue.ts'
import { disable, healthOf, saveHealth } from '../../shared/health.ts'
import { prune } from '../../shared/upkeep/prune.ts'
import * as operations from '../../shared/directory/operations.ts'
import { toDueEndpoint } from '../../shared/rows/delivery-rows.ts'
import { toHealthOf } from '../../shared/rows/rows.ts'
import { takeTurn } from '../../shared/directory/workers.ts'
import { claim } from './claim.ts'
import type { SqliteDatabase } from '../database.ts'
import { enqueue } from './enqueue.ts'
import { release, renew, start } from './leases.ts'
import { mark } from './mark.ts'
import { giveBack, take } from './rate-limits.ts'

/**
 * The engine's half: the hot calls of a turn share one commit; the rest is shared by both databases. `workers` returns the workers attached
 * to this process if it is the only one that may deliver; null if another process may.
 */
export function sqliteQueue(database: SqliteDatabase, workers: () => readonly string[] | null): Queue {
  function attached(): string | null {
    const known = workers()
    return known === null ? null : JSON.stringify(known)
  }

  return {
    enqueue: (request) => database.write((connection) => enqueue(connection, request)),
    claim: (request) => database.write((connection) => claim(connection, request, attached())),
    renew: (request) => database.write((connection) => renew(connection, request)),
    mark: (request) => database.write((connection) => mark(connection, request)),

    release: (request) => database.write((connection) => release(connection, request)),
    start: (request) => database.write((connection) => start(connection, request)),
    async dueEndpoints(request) {
      const rows = await database.query(operations.dueEndpoints(request))
      return rows.map(toDueEndpoint)
    },
    requeue: (request) => database.transaction((tx) => operations.requeue(tx, request)),
    cancel: (request) => database.transaction((tx) => operations.cancel(tx, request)),
    prune: (request) => database.transaction((tx) => prune(tx, request)),

    async health(endpointIds) {
      if (endpointIds.length === 0) return new Map()
      const rows = await database.query(healthOf(endpointIds))
      return new Map(rows.map(toHealthOf))
    },
    async saveHealth(endpointId, health) {
      return (await database.write((connection) => connection.run(saveHealth(endpointId, health)))) > 0
    },
    disable: (request) => database.transaction((tx) => disable(tx, request)),
    takeTokens: (request) => database.write((connection) => take(connection, request)),
    returnTokens: (tokens) => database.write((connection) => giveBack(connection, tokens)),
    async takeTurn(request) {
      return (await database.write((connection) => connection.run(takeTurn(request)))) > 0
    },
  }
}
