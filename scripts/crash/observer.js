import { kinds } from './traffic.js'

const mostListed = 10_000
const pageSize = 200

/** Creates the endpoints, and reads the state of the store. */
export async function makeObserver(dist, store, receiver) {
  const { Posthorn } = await import(`${dist}/index.js`)
  const posthorn = new Posthorn({ store, allowedTargets: ['127.0.0.0/8'] })
  for (const type of kinds)
    await posthorn.endpoints.create({ application: 'acme', url: receiver.url(`/${type}`), types: [type] })
  return {
    open: () => posthorn.deliveries.count({ status: ['pending', 'failed'] }),
    unfinished: () => unfinishedRows(posthorn),
    why: (id) => posthorn.deliveries.why(id),
    attempts: (id) => posthorn.deliveries.attempts(id),
    stop: () => posthorn.stop(),
  }
}

/** Those that did not end well. */
async function unfinishedRows(posthorn) {
  const rows = []
  for (let after; rows.length < mostListed; after = rows.at(-1).id) {
    const page = await posthorn.deliveries.list(
      { status: ['pending', 'failed', 'dead'] },
      { limit: pageSize, ...(after === undefined ? {} : { after }) },
    )
    rows.push(...page)
    if (page.length < pageSize) break
  }
  return rows
}
