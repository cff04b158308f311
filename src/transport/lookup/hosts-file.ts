import type { LookupAddress } from 'node:dns'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import type { Clock } from '../../core/ports/ports.ts'
import { second } from '../../core/time.ts'

type Hosts = ReadonlyMap<string, readonly LookupAddress[]>

const systemPath = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts'
const lookAgainMs = second

/** The machine's hosts file, read again when it has changed. */
export class HostsFile {
  private readonly clock: Clock
  private readonly path: string
  private hosts: Hosts = new Map()
  private version = ''
  private lookedAt: number | null = null

  constructor(clock: Clock, path: string = systemPath) {
    this.clock = clock
    this.path = path
  }

  /** Null if it does not know the name, which is in lower case. */
  addressesOf(name: string): readonly LookupAddress[] | null {
    const now = this.clock.now()
    // A clock that was set back must not keep an outdated file for longer.
    if (this.lookedAt === null || Math.abs(now - this.lookedAt) >= lookAgainMs) {
      this.lookedAt = now
      this.refresh()
    }
    return this.hosts.get(name) ?? null
  }

  // Synchronously: a small local file is read faster than a thread of the shared pool is woken, and all of those may be busy.
  private refresh(): void {
    try {
      const { mtimeMs, size, ino } = statSync(this.path)
      const version = `${mtimeMs} ${size} ${ino}`
      if (version === this.version) return
      this.hosts = parseHosts(readFileSync(this.path, 'utf8'))
      this.version = version
    } catch {
      // Without a readable file no name is known, as for every other program on the machine.
      this.hosts = new Map()
      this.version = ''
    }
  }
}

/** Each line has an address and its names; a name may occur on several lines. */
export function parseHosts(text: string): Hosts {
  const hosts = new Map<string, LookupAddress[]>()
  for (const line of text.split(/\r?\n/)) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    const family = isIP(address)
    if (family === 0) continue
    for (const name of new Set(names.map((each) => each.toLowerCase()))) {
      const known = hosts.get(name)
      if (known === undefined) hosts.set(name, [{ address, family }])
      else if (!known.some((each) => each.address === address)) known.push({ address, family })
    }
  }
  return hosts
}
