// Makes this process ask a name server on loopback, whichever way of Node it looks names up, so that no question leaves the machine.
// To be called before whatever looks names up is imported.
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { isIP } from 'node:net'

export function askOnly(port) {
  const servers = [`127.0.0.1:${port}`]
  const { Resolver } = dns
  const PromisesResolver = dns.promises.Resolver
  dns.setServers(servers)
  dns.promises.setServers(servers)
  dns.Resolver = class extends Resolver {
    constructor(options) {
      super(options)
      this.setServers(servers)
    }
  }
  dns.promises.Resolver = class extends PromisesResolver {
    constructor(options) {
      super(options)
      this.setServers(servers)
    }
  }
  dns.lookup = likeTheSystem(new dns.promises.Resolver({ timeout: 5_000, tries: 2 }))
  syncBuiltinESMExports()
}

const threads = 4

/**
 * The system's look-up cannot be pointed at another server without changing the machine. This one behaves alike: four at once for the
 * whole process, the threads that Node has for it, and ten seconds for a name that gets no answer.
 */
function likeTheSystem(resolver) {
  const waiting = []
  let busy = 0

  async function answer({ hostname, options, done }) {
    try {
      const addresses = isIP(hostname) === 0 ? await resolver.resolve4(hostname) : [hostname]
      if (options.all === true)
        done(
          null,
          addresses.map((address) => ({ address, family: isIP(address) })),
        )
      else done(null, addresses[0], isIP(addresses[0]))
    } catch (error) {
      done(error)
    }
  }

  function next() {
    if (busy >= threads || waiting.length === 0) return
    busy += 1
    void answer(waiting.shift()).finally(() => {
      busy -= 1
      next()
    })
  }

  return function lookup(hostname, options, done) {
    waiting.push(
      typeof options === 'function'
        ? { hostname, options: {}, done: options }
        : { hostname, options: options ?? {}, done },
    )
    next()
  }
}
