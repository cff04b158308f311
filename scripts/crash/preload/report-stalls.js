// Reports when this process could do nothing for so long that its leases may have run out: on a busy machine that happens by itself,
// and is a fault as any other. A process that is killed meanwhile cannot say so any more: hence a sign of life each time.
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
