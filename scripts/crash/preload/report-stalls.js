// Reports when this process was blocked for so long that its leases may have expired: on a busy machine that happens by itself,
// and counts as a fault like any other. A process that is killed meanwhile can no longer report it: hence a sign of life each time.
import { toParent } from './parent.js'

const everyMs = 50
const longMs = Number(process.env.CRASH_STALL_MS)
let lastAt = performance.now()

setInterval(() => {
  const at = performance.now()
  const ms = at - lastAt - everyMs
  lastAt = at
  toParent(ms > longMs ? { kind: 'stalled', ms } : { kind: 'alive' })
}, everyMs).unref()
