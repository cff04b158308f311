import { expect, test } from 'vitest'
import { shownHeaders } from '../../src/core/signing/sent-request.ts'

test.each([
  ['content-type', 'shown'],
  ['webhook-id', 'shown'],
  ['webhook-timestamp', 'shown'],
  ['X-Tenant', 'shown'],
  ['webhook-signature', 'sensitive'],
  ['svix-signature', 'sensitive'],
  ['Authorization', 'sensitive'],
  ['X-Api-Key', 'sensitive'],
  ['X-Auth-Token', 'sensitive'],
  ['Cookie', 'sensitive'],
  ['X-Hub-256', 'sensitive'],
] as const)('of %s the value is %s', (name, kind) => {
  const shown = shownHeaders({ [name]: 'a value' }, ['X-Hub-256'])
  expect(shown).toEqual(
    kind === 'shown' ? { headers: { [name]: 'a value' }, sensitive: [] } : { headers: {}, sensitive: [name] },
  )
})
