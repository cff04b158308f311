import { presets } from 'posthorn'
import { testPosthorn } from 'posthorn/testing'
import { expect, test } from 'vitest'
import { retryNotice, retrySentence } from '../../src/cli/processes/retry-notice.ts'

test.each([
  ['standard', 'Retry policy standard: 6 attempts over 31 minutes, then a dead letter.'],
  ['patient', 'Retry policy patient: 10 attempts over 3 days, then a dead letter.'],
  ['svix', 'Retry policy svix: 8 attempts over 28 hours, then a dead letter.'],
  ['gateway', 'Retry policy gateway: 5 attempts over 73 minutes, then a dead letter.'],
] as const)('the policy %s is said in a sentence', (name, sentence) => {
  expect(retrySentence(presets[name].policy)).toMatch(`${sentence} POSTHORN_PRESET chooses another:`)
})

test('it is said until there is an application', async () => {
  const { posthorn } = await testPosthorn()
  expect(await retryNotice(posthorn, 'standard')).toContain('31 minutes')
  await posthorn.applications.create({ uid: 'acme' })
  expect(await retryNotice(posthorn, 'standard')).toBeNull()
  await posthorn.stop()
})

test('a policy without retries has one attempt', () => {
  expect(retrySentence({ ...presets.standard.policy, maxAttempts: 1 })).toContain('standard: one attempt, then')
})
