import { expect, test } from 'vitest'
import { checkPace } from '../../src/core/pace.ts'
import { presetNamed, presets } from '../../src/core/presets.ts'
import { checkPolicy, safeDelayMs } from '../../src/core/retry-policy.ts'
import { thrownBy } from './thrown.ts'

const pollMs = 5000
const ours = { pollMs, perCycle: null, retriesPerEndpoint: 100, pool: 20, slowStart: true, breaker: true, fastPath: true, heedsEndpoint: true }
const plain = { pollMs, perCycle: 5, retriesPerEndpoint: 100, pool: 20, slowStart: false, breaker: false, fastPath: false, heedsEndpoint: false }

test.each([
  ['standard', 6, 0.2, 'standard', ours],
  ['patient', 10, 0.2, 'standard', ours],
  ['svix', 8, 0.2, 'standard', ours],
  ['gateway', 5, 0, 'body', plain],
  ['gateway-6', 6, 0, 'body', plain],
] as const)('%s has its sends, jitter, signature and pace', (name, maxAttempts, jitterShare, signature, pace) => {
  const preset = presetNamed(name)
  expect(preset).toBe(presets[name])
  expect(preset.policy).toMatchObject({ name, maxAttempts, jitterShare })
  expect(preset.signature).toBe(signature)
  expect(preset.pace).toEqual(pace)
})

test.each(Object.entries(presets))('%s passes the guard, and is found under its own name', (name, preset) => {
  expect(preset.name).toBe(name)
  expect(preset.policy.name).toBe(name)
  expect(() => checkPolicy(preset.policy, false)).not.toThrow()
  expect(() => checkPace(preset.pace)).not.toThrow()
})

test('no preset holds a delay of the broken release', () => {
  const delays = Object.values(presets).flatMap(({ policy }) => (policy.delays.kind === 'list' ? policy.delays.delaysMs : [policy.delays.baseMs]))
  expect(Math.min(...delays)).toBe(safeDelayMs)
})

test.each(['Standard', '', 'constructor', '__proto__'])('an unknown preset (%j) is refused with the names there are', (name) => {
  const error = thrownBy(() => presetNamed(name))
  expect(error.code).toBe('unknown_preset')
  expect(error.message).toBe(`Expected \`preset\` to be one of standard, patient, svix, gateway, gateway-6, got "${name}".`)
})
