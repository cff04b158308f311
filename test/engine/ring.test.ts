import { expect, test } from 'vitest'
import { Ring } from '../../src/engine/claim/ring.ts'
import type { EndpointRecord } from '../../src/engine/endpoints/records.ts'

test('takes one of each application in turn, and goes on where it stopped', () => {
  const ring = ringOf('a1 a2 a3 b1 c1 c2')
  expect(namesOf(ring.take(2))).toBe('a1 b1')
  expect(namesOf(ring.take(3))).toBe('c1 a2 c2')
  expect(namesOf(ring.take(3))).toBe('a3')
  expect(ring.size).toBe(0)
})

test('holds each endpoint once, and forgets what is taken out', () => {
  const ring = new Ring()
  const [one, other] = [recordOf('a1'), recordOf('a2')]
  for (const record of [one, one, other]) ring.add(record)
  expect(ring.size).toBe(2)
  ring.delete(one)
  ring.delete(one)
  expect([ring.size, namesOf(ring.take(10))]).toEqual([1, 'a2'])
})

function ringOf(names: string): Ring {
  const ring = new Ring()
  for (const name of names.split(' ')) ring.add(recordOf(name))
  return ring
}

/** The letter is the application. A ring looks at nothing else of an endpoint. */
function recordOf(name: string): EndpointRecord {
  return { endpoint: { id: name, applicationId: name.slice(0, 1) } } as EndpointRecord
}

function namesOf(records: readonly EndpointRecord[]): string {
  return records.map(({ endpoint }) => endpoint.id).join(' ')
}
