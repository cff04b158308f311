import { expected } from '../errors.ts'
import type { Limits } from '../limits/limits.ts'
import type { RetryPolicy } from './retry-policy.ts'
import type { SignatureScheme } from '../signing/signature.ts'
import { hour, minute, second } from '../time.ts'

/** Retry policy, limits and signature scheme under one name. */
export interface Preset {
  readonly name: PresetName
  readonly policy: RetryPolicy
  readonly limits: Limits
  readonly signature: SignatureScheme
  /** The prefix of the signature's header names, if not the default. */
  readonly headerPrefix?: string
}

export type PresetName = 'standard' | 'patient' | 'svix' | 'gateway' | 'gateway-6'

const ours: Limits = {
  pollMs: 5 * second,
  perCycle: null,
  retriesPerEndpoint: 100,
  retriesPerTick: 10_000,
  pool: 20,
  openRequests: 5_000,
  slowStart: true,
  breaker: true,
  fastPath: true,
  heedsEndpoint: true,
  suspects: true,
}

/** UC-0270: at most five rows leave per cycle, and all of our own features are off. */
const gateway: Limits = {
  ...ours,
  perCycle: 5,
  slowStart: false,
  breaker: false,
  fastPath: false,
  heedsEndpoint: false,
  suspects: false,
}

const gatewayDelaysMs = [30, 120, 600, 3600, 21600].map((seconds) => seconds * second)

export const presets: Readonly<Record<PresetName, Preset>> = {
  // The customer contract: 60 s · 2ⁿ, ±20 %, the first send and five retries over 31 minutes.
  standard: {
    name: 'standard',
    policy: {
      name: 'standard',
      delays: { kind: 'exponential', baseMs: 60 * second, capMs: null },
      jitterShare: 0.2,
      maxAttempts: 6,
    },
    limits: ours,
    signature: 'standard',
  },
  patient: {
    name: 'patient',
    policy: {
      name: 'patient',
      delays: {
        kind: 'list',
        delaysMs: [minute, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour)],
      },
      jitterShare: 0.2,
      maxAttempts: 10,
    },
    limits: ours,
    signature: 'standard',
  },
  // For those who move from Svix: its delays except for the first, 5 s, which the guard forbids, and the headers that its receivers know.
  svix: {
    name: 'svix',
    policy: {
      name: 'svix',
      delays: {
        kind: 'list',
        delaysMs: [30 * second, 5 * minute, 30 * minute, ...[2, 5, 10, 10].map((hours) => hours * hour)],
      },
      jitterShare: 0.2,
      maxAttempts: 8,
    },
    limits: ours,
    signature: 'standard',
    headerPrefix: 'svix',
  },
  gateway: {
    name: 'gateway',
    policy: { name: 'gateway', delays: { kind: 'list', delaysMs: gatewayDelaysMs }, jitterShare: 0, maxAttempts: 5 },
    limits: gateway,
    signature: 'body',
  },
  'gateway-6': {
    name: 'gateway-6',
    policy: { name: 'gateway-6', delays: { kind: 'list', delaysMs: gatewayDelaysMs }, jitterShare: 0, maxAttempts: 6 },
    limits: gateway,
    signature: 'body',
  },
}

export function presetNamed(name: string): Preset {
  const preset = Object.values(presets).find((known) => known.name === name)
  if (preset !== undefined) return preset
  throw expected('unknown_preset', 'preset', `one of ${Object.keys(presets).join(', ')}`, name)
}
