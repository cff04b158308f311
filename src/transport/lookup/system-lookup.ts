import type { LookupAddress } from 'node:dns'
import type { Clock } from '../../core/ports/ports.ts'
import { HostsFile } from './hosts-file.ts'
import type { Lookup } from './lookup.ts'
import { nameServerLookup } from './name-servers.ts'
import { SharedLookups } from './shared-lookups.ts'

interface SystemLookupOptions {
  readonly clock: Clock
  /** The system's if absent; for example `127.0.0.1:53`. */
  readonly nameServers?: readonly string[]
  readonly hostsPath?: string
}

/**
 * Resolves names as this machine does: by the hosts file, then by its name servers.
 *
 * Not with `dns.lookup`, which blocks one of the four threads that the whole process shares: a few names whose servers never
 * answer would keep every other name waiting. Whatever else that call does is not supported: the `search` and `ndots` of
 * resolv.conf (a name is always queried as written, so inside a cluster write it in full: `hooks.shop.svc.cluster.local`),
 * and sources in nsswitch.conf other than `files` and `dns`.
 */
export function systemLookup({ clock, nameServers, hostsPath }: SystemLookupOptions): Lookup {
  const hosts = new HostsFile(clock, hostsPath)
  const shared = new SharedLookups(clock, nameServerLookup(clock, nameServers))
  return (hostname, done) => {
    const name = hostname.replace(/\.+$/, '').toLowerCase()
    const known = hosts.addressesOf(name) ?? (isLocalhost(name) ? loopback : null)
    if (known === null) return shared.lookUp(hostname, done)
    done(null, known)
    return nothingToCancel
  }
}

// IPv4 first: a server that refuses there may still listen on the other.
const loopback: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** RFC 6761: these are never sent to a name server, which could give any answer. */
function isLocalhost(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost')
}

function nothingToCancel(): void {
  // The answer was known.
}
