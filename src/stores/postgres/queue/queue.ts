import type { Queue } from '../../../core/ports/queue.ts'
import { disable, healthOf, saveHealth } from '../../shared/health.ts'
import { prune } from '../../shared/upkeep/prune.ts'
import * as operations from '../../shared/directory/operations.ts'
import { toHealthOf } from '../../shared/rows/rows.ts'
import { takeTurn } from '../../shared/directory/workers.ts'
import { claimer } from './claim.ts'
import type { PostgresDatabase } from '../database.ts'
import { enqueuer } from './enqueue.ts'
import { releaser, renewer, starter } from './leases.ts'
import { marker } from './mark.ts'
import { tokenReturner, tokenTaker } from './rate-limits.ts'
import { walker } from './walk.ts'

/** The engine's half: the hot calls are written for PostgreSQL, the rest is shared by both databases. */
export function postgresQueue(
  database: PostgresDatabase,
  prepare: boolean,
  onStored: (endpointIds: readonly string[]) => void,
): Queue {
  return {
    enqueue: enqueuer(database, prepare, onStored),
    claim: claimer(database, prepare),
    start: starter(database, prepare),
    renew: renewer(database, prepare),
    mark: marker(database, prepare),
    release: releaser(database, prepare),

    dueEndpoints: walker(database, prepare),
    requeue: (request) => database.transaction((tx) => operations.requeue(tx, request)),
    cancel: (request) => database.transaction((tx) => operations.cancel(tx, request)),
    prune: (request) => database.transaction((tx) => prune(tx, request)),

    async health(endpointIds) {
      if (endpointIds.length === 0) return new Map()
      const rows = await database.query(healthOf(endpointIds))
      return new Map(rows.map(toHealthOf))
    },
    async saveHealth(endpointId, health) {
      return (await database.transaction((tx) => tx.run(saveHealth(endpointId, health)))) > 0
    },
    disable: (request) => database.transaction((tx) => disable(tx, request)),
    takeTokens: tokenTaker(database, prepare),
    returnTokens: tokenReturner(database, prepare),
    async takeTurn(request) {
      return (await database.transaction((tx) => tx.run(takeTurn(request)))) > 0
    },
  }
}
