import { latencyBoundsMs } from '../../../core/ports/overview.ts'

/** One column per latency bucket. */
export const latencyColumns = Array.from({ length: latencyBoundsMs.length + 1 }, (_, index) => `latency_${index}`)
