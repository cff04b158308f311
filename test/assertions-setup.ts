import assert from 'node:assert/strict'
import { expect } from 'vitest'

// A test without an assertion fails (`requireAssertions` in vitest.config.ts). A call of `node:assert` counts, too: the conformance suite
// of the stores is for any test runner, and knows no `expect`.

type Method = (...given: unknown[]) => unknown

const mark = Symbol.for('posthorn.counted-assertion')
const names = [
  'deepEqual',
  'doesNotReject',
  'doesNotThrow',
  'equal',
  'fail',
  'match',
  'notDeepEqual',
  'notEqual',
  'ok',
  'rejects',
  'throws',
] as const
const methods = assert as unknown as Record<(typeof names)[number], Method>

for (const name of names) {
  // Test files share a process, and this runs before each of them: wrapped once is enough.
  if (!(mark in methods[name])) methods[name] = counted(methods[name])
}

function counted(method: Method): Method {
  const wrapped: Method = (...given) => {
    expect.setState({ assertionCalls: expect.getState().assertionCalls + 1 })
    return method(...given)
  }
  return Object.assign(wrapped, { [mark]: true })
}
