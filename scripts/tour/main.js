// A tour of the HTTP API with independent clients: starts `posthorn serve` on each database, drives every operation with the `svix`
// client, verifies what arrives with `standardwebhooks`, and tries every route with keys that must not have access.
//   npm run tour -- [--store sqlite|postgres] [--verbose]
import { parseArgs } from 'node:util'
import { attack } from './matrix.js'
import { operations } from './operations.js'
import { startReceiver } from './receiver.js'
import { databases, startServer } from './server.js'
import { tour } from './tour.js'

const { values: given } = parseArgs({
  options: {
    store: { type: 'string' },
    verbose: { type: 'boolean' },
    dist: { type: 'string', default: new URL('../../dist', import.meta.url).pathname },
  },
})
const stores = given.store === undefined ? Object.keys(databases) : [given.store]
if (!stores.every((store) => Object.hasOwn(databases, store))) {
  console.error(`Expected --store to be sqlite or postgres, got "${given.store}".`)
  process.exit(2)
}
for (const store of stores) if (!(await visit(store))) process.exitCode = 1

/** True if everything was as it should be. */
async function visit(store) {
  const database = await databases[store]()
  const receiver = await startReceiver()
  try {
    const server = await startServer(given.dist, database.url)
    const isFine = await drive(store, server.url, receiver).catch((error) => {
      console.error(error)
      return false
    })
    const code = await server.stop()
    if (code !== 0) console.error(`${store}: expected posthorn serve to end well, and it ended with ${code}.`)
    return isFine && code === 0
  } finally {
    await receiver.close()
    await database.close()
  }
}

async function drive(store, url, receiver) {
  const { seen, missing } = await tour(url, receiver)
  if (given.verbose === true)
    for (const operation of operations) console.log(`  ${seen.has(operation) ? 'ok     ' : 'missing'} ${operation}`)
  for (const operation of missing()) console.log(`${store}: not seen: ${operation}`)
  console.log(`${store}: ${seen.size} of ${operations.length} operations ok`)
  const { tried, leaks } = await attack(url)
  for (const leak of leaks) console.log(`${store}: leak: ${leak}`)
  console.log(`${store}: ${tried} routes and keys tried, ${leaks.length} leaks`)
  return missing().length === 0 && leaks.length === 0
}
