import type { LookupAddress } from 'node:dns'
import type { Clock } from '../../core/ports/ports.ts'
import { HostsFile } from './hosts-file.ts'
import type { Lookup } from './lookup.ts'
import { nameServerLookup } from './name-servers.ts'
import { SharedLookups } from './shared-lookups.ts'

export interface SystemLookupOptions {
  readonly clock: Clock
  /** Those of the system if absent; `127.0.0.1:53` is one. */
  readonly nameServers?: readonly string[]
  readonly hostsPath?: string
}

/**
 * Looks up names as this machine does: by the hosts file, then by its name servers.
 *
 * Not by `dns.lookup`, which blocks one of the four threads that all of the process shares: a few names whose servers never
 * answer would keep every other name waiting. What that call does beyond this is not done: the `search` and `ndots` of
 * resolv.conf (a name is always asked for as it is written, so inside a cluster write it in full: `hooks.shop.svc.cluster.local`),
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

// IPv4 first: what refuses there may still listen on the other.
const loopback: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** By RFC 6761 these are never asked of a name server, which could give any answer. */
function isLocalhost(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost')
}

function nothingToCancel(): void {
  // The answer was known.
}
