import { expect, test } from 'vitest'
import { checkLimits } from '../../src/core/limits/limits.ts'
import { presetNamed, presets } from '../../src/core/delivery/presets.ts'
import { checkPolicy, safeDelayMs } from '../../src/core/delivery/retry-policy.ts'
import { thrownBy } from './thrown.ts'

const counts = { pollMs: 5_000, retriesPerEndpoint: 100, retriesPerTick: 10_000, pool: 20, openRequests: 5_000 }
const ours = {
  ...counts,
  perCycle: null,
  slowStart: true,
  breaker: true,
  fastPath: true,
  heedsEndpoint: true,
  suspects: true,
}
const plain = {
  ...counts,
  perCycle: 5,
  slowStart: false,
  breaker: false,
  fastPath: false,
  heedsEndpoint: false,
  suspects: false,
}

test.each([
  ['standard', 6, 0.2, 'standard', ours],
  ['patient', 10, 0.2, 'standard', ours],
  ['svix', 8, 0.2, 'standard', ours],
  ['gateway', 5, 0, 'body', plain],
  ['gateway-6', 6, 0, 'body', plain],
] as const)('%s has its sends, jitter, signature and limits', (name, maxAttempts, jitterShare, signature, limits) => {
  const preset = presetNamed(name)
  expect(preset).toBe(presets[name])
  expect(preset.policy).toMatchObject({ name, maxAttempts, jitterShare })
  expect(preset.signature).toBe(signature)
  expect(preset.limits).toEqual(limits)
})

test.each(Object.entries(presets))('%s passes the guard, and is found under its own name', (name, preset) => {
  expect(preset.name).toBe(name)
  expect(preset.policy.name).toBe(name)
  expect(() => checkPolicy(preset.policy, false)).not.toThrow()
  expect(() => checkLimits(preset.limits)).not.toThrow()
})

test('no preset holds a delay of the broken release', () => {
  const delays = Object.values(presets).flatMap(({ policy }) =>
    policy.delays.kind === 'list' ? policy.delays.delaysMs : [policy.delays.baseMs],
  )
  expect(Math.min(...delays)).toBe(safeDelayMs)
})

test.each(['Standard', '', 'constructor', '__proto__'])(
  'an unknown preset (%j) is refused with the names there are',
  (name) => {
    const error = thrownBy(() => presetNamed(name))
    expect(error.code).toBe('unknown_preset')
    expect(error.message).toBe(
      `Expected \`preset\` to be one of standard, patient, svix, gateway, gateway-6, got "${name}".`,
    )
  },
)
