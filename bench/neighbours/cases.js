// The ten bad neighbours. Each says what endpoints it has, how many messages wait for each of them when the worker starts, and
// what keeps coming while the healthy tenant is measured. The rates are small: what is asked is whether a neighbour that is
// bad, not one that is big, takes from the healthy one. Only the flood is big.

/** Names under this domain are looked up at a name server on loopback, and nowhere else. */
export const domain = 'posthorn.test'

const small = 1_000
const large = 1_000_000

/**
 * `endpoints(at)`: their URLs, and settings that are not the usual ones; `at` knows the ports and hosts of the receivers.
 * `waiting`: messages for each endpoint that are stored already when the worker starts.
 * `perSecond`: deliveries that are added to those, one endpoint after the other; `flood`: sends kept open instead.
 * `proof`: what must have been seen at least, or the neighbour was not there and the run shows nothing.
 */
export const cases = [
  {
    name: '1,000 hung endpoints',
    endpoints: (at) => many(1_000, (index) => ({ url: at.bad(index, `/hung/${index}`) })),
    waiting: 5,
    perSecond: 200,
    proof: { hung: 100 },
  },
  {
    name: '300 endpoints that drip a 200',
    endpoints: (at) => many(300, (index) => ({ url: at.bad(index, `/drip/${index}`) })),
    waiting: 30,
    perSecond: 200,
    proof: { drip: 1_000 },
  },
  {
    name: '20 names that never resolve',
    // By a name too, and its connections close now and then: whoever is never looked up cannot be kept from it.
    healthyUrl: (at) => `http://healthy.${domain}:${at.healthyPort}/closing`,
    endpoints: (at) => many(20, (index) => ({ url: `http://never-${index}.${domain}:${at.badPort}/ok` })),
    waiting: 10,
    perSecond: 20,
    needsNames: true,
    proof: { unanswered: 4 },
  },
  {
    name: '1 MB bodies to 20 slow or hung endpoints',
    endpoints: (at) =>
      many(20, (index) => ({ url: at.bad(index, index % 2 === 0 ? `/hung/${index}` : `/slow/${index}`) })),
    waiting: 20,
    perSecond: 4,
    bodyBytes: large,
    proof: { hung: 10, slow: 10 },
  },
  {
    name: '12 slow endpoints on its own host and port',
    endpoints: (at) => many(12, (index) => ({ url: `http://127.0.0.1:${at.healthyPort}/slowing/${index}` })),
    waiting: 150,
    perSecond: 60,
    proof: { slowing: 12 * 40 },
  },
  {
    name: '50 rate-limited endpoints',
    endpoints: (at) => many(50, (index) => ({ url: at.bad(index, `/ok/${index}`), ratePerSecond: 5 })),
    waiting: 100,
    perSecond: 200,
    proof: { ok: 100 },
  },
  {
    name: '10,000 dead endpoints',
    endpoints: (at) => many(10_000, (index) => ({ url: at.dead(index, `/${index}`) })),
    waiting: 1,
    perSecond: 200,
    proof: { failed: 500 },
  },
  {
    name: 'a flood',
    endpoints: (at) => [{ url: at.bad(0, '/ok') }],
    waiting: 0,
    flood: 100,
    proof: { ok: 100 },
  },
  {
    name: '6,000 tenants on one dead host',
    // Dead as a host is that takes connections and nothing more: one that refuses them gives everything back at once.
    endpoints: (at) => many(6_000, (index) => ({ application: `tenant-${index}`, url: at.bad(0, `/hung/${index}`) })),
    waiting: 2,
    perSecond: 200,
    proof: { hung: 100 },
  },
  {
    name: '1,000 hung endpoints in its own application',
    endpoints: (at) => many(1_000, (index) => ({ application: 'healthy', url: at.bad(index, `/hung/${index}`) })),
    waiting: 5,
    perSecond: 200,
    proof: { hung: 100 },
  },
].map((each, index) => ({
  number: index + 1,
  bodyBytes: small,
  flood: 0,
  perSecond: 0,
  needsNames: false,
  healthyUrl: usualUrl,
  ...each,
}))

function usualUrl(at) {
  return `http://127.0.0.1:${at.healthyPort}/healthy`
}

function many(count, make) {
  return Array.from({ length: count }, (_, index) => make(index))
}
