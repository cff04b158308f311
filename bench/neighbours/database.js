// The database that each run begins with: the endpoints, and what waits for them. Made once and copied, because ten thousand endpoints
// take longer to create than a run takes.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bodyOf, healthyType, library, neighbourType } from './wire.js'

const together = 500

/** Writes a database into the folder: the healthy tenant's endpoint, and the neighbour's, if there is one. */
export async function createDatabase(folder, { dist, healthyUrl, endpoints = [], waiting = 0, bodyBytes = 0 }) {
  mkdirSync(folder, { recursive: true })
  // It is thrown away if the machine fails, so it need not wait for the disk; the runs do.
  const posthorn = await library(dist, folder, { synchronous: 'off' })
  await posthorn.endpoints.create({ application: 'healthy', url: healthyUrl, types: [healthyType] })
  const created = await inTurns(endpoints, ({ application = 'neighbour', ...endpoint }) =>
    posthorn.endpoints
      .create({ application, types: [neighbourType], ...endpoint })
      .then(({ id }) => ({ application, id })),
  )
  const applications = [...new Set(created.map(({ application }) => application))]
  for (let message = 0; message < waiting; message += 1) {
    await inTurns(applications, (application) =>
      posthorn.send({ application, type: neighbourType, payload: bodyOf(0, bodyBytes) }),
    )
  }
  await posthorn.stop()
  writeFileSync(join(folder, 'endpoints.json'), JSON.stringify(created))
}

export function copyDatabase(from, to) {
  cpSync(from, to, { recursive: true })
}

/** The neighbour's endpoints, as they were created. */
export function endpointsIn(folder) {
  return JSON.parse(readFileSync(join(folder, 'endpoints.json'), 'utf8'))
}

async function inTurns(list, act) {
  const results = []
  for (let from = 0; from < list.length; from += together)
    results.push(...(await Promise.all(list.slice(from, from + together).map(act))))
  return results
}
