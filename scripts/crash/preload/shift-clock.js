// Sets the wall clock of this process alone: from its start by CRASH_CLOCK_SHIFT_MS, and later whenever its parent says so.
// Monotonic time (`performance.now()`, timers) is not touched, as when somebody sets the clock of a machine.
import { fromParent } from './parent.js'

const RealDate = Date
let shiftMs = Number(process.env.CRASH_CLOCK_SHIFT_MS ?? 0)

globalThis.Date = class Date extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shiftMs)
    else super(...given)
  }

  static now() {
    return RealDate.now() + shiftMs
  }
}

fromParent((message) => {
  if (message.kind === 'clock') shiftMs = message.shiftMs
})
