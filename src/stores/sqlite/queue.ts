import type { Queue } from '../../core/queue.ts'
import * as operations from '../operations.ts'
import { toDueEndpoint, toHealthOf, toLease } from '../rows.ts'
import { takeTurn } from '../workers.ts'
import { claim, renew } from './claim.ts'
import type { SqliteDatabase } from './database.ts'
import { enqueue } from './enqueue.ts'
import { mark } from './mark.ts'

/** The engine's half: the hot calls of a turn share one commit; the rest is what both databases share. */
export function sqliteQueue(database: SqliteDatabase): Queue {
  return {
    enqueue: (request) => database.write((connection) => enqueue(connection, request)),
    claim: (request) => database.write((connection) => claim(connection, request)),
    renew: (request) => database.write((connection) => renew(connection, request)),
    mark: (request) => database.write((connection) => mark(connection, request)),

    async release(request) {
      if (request.leases.length === 0) return []
      const rows = await database.write((connection) => connection.query(operations.release(request)))
      return operations.heldAmong(request.leases, rows.map(toLease))
    },
    async dueEndpoints(request) {
      const rows = await database.query(operations.dueEndpoints(request))
      return rows.map(toDueEndpoint)
    },
    requeue: (request) => database.transaction((tx) => operations.requeue(tx, request)),
    cancel: (request) => database.transaction((tx) => operations.cancel(tx, request)),
    prune: (request) => database.transaction((tx) => operations.prune(tx, request)),

    async health(endpointIds) {
      if (endpointIds.length === 0) return new Map()
      const rows = await database.query(operations.healthOf(endpointIds))
      return new Map(rows.map(toHealthOf))
    },
    async saveHealth(endpointId, health) {
      return (await database.write((connection) => connection.run(operations.saveHealth(endpointId, health)))) > 0
    },
    async takeTurn(request) {
      return (await database.write((connection) => connection.run(takeTurn(request)))) > 0
    },
  }
}
