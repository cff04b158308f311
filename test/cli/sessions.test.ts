import { expect, test } from 'vitest'
import { run } from './run.ts'
import { shop } from './shop.ts'

test('sessions are listed with their key, and end with one command', async () => {
  const { environment, posthorn } = await shop()
  const { key } = await posthorn.keys.create({ name: 'kim' })
  const { token } = await posthorn.keys.openSession(key, { from: '10.0.0.7' })
  const listed = await run(['keys', 'sessions'], environment)
  expect([listed.code, listed.lines.length]).toEqual([0, 2])
  expect(listed.lines[1]).toMatch(new RegExp(`${key.id} +kim +write +all +10\\.0\\.0\\.7`))
  expect(listed.lines.join('\n')).not.toContain(token)
  expect((await run(['keys', 'sign-out', key.id], environment)).lines).toEqual([`signed out 1 session of ${key.id}`])
  expect((await run(['keys', 'sessions', '--json'], environment)).lines[0]).toContain('"data":[]')
})
