import { expect, test } from 'vitest'
import { freshSchema } from '../postgres.ts'
import { crashRun, expectAllDelivered } from './crash.ts'

const crash = crashRun()
// A server of its own takes seconds to start: only what harms the server itself has one.
const { url } = freshSchema()
const onShared = ['--store', 'postgres', '--lease', '2000', '--database', url]
const onOwn = ['--store', 'postgres', '--lease', '2000']

test.each([
  { what: 'workers in a crash loop', args: ['--loop', '6'] },
  { what: 'a worker that stands still for two leases', args: ['--stop', '--rounds', '1'] },
  { what: 'a worker that is cut off from the database', args: ['--partition', '--rounds', '1'] },
])('on PostgreSQL $what: nothing is lost', { timeout: 60_000 }, async ({ args }) => {
  expectAllDelivered(await crash([...onShared, ...args]))
})

test(
  'on PostgreSQL workers that are killed and a database that crashes: nothing is lost',
  { timeout: 60_000 },
  async () => {
    expectAllDelivered(await crash([...onOwn, '--kills', '2', '--restarts', '1']))
  },
)

test('on PostgreSQL a delivery that ends its worker takes no other along', { timeout: 60_000 }, async () => {
  const { figures, said } = await crash([...onShared, '--poison', '--delay', '1500'])
  const { accepted = 0, delivered = 0, repeats = 0 } = figures
  expect(figures, said).toMatchObject({ dead: 0, lost: 0, explained: repeats })
  // Innocent ones that were being sent when their worker ended wait for up to a minute and a half, longer than this test.
  expect(accepted - delivered, said).toBeLessThanOrEqual(4)
})

test(
  'on PostgreSQL a full disk is said so by `send`, and costs nothing once it is freed',
  { timeout: 60_000 },
  async () => {
    const result = await crash([...onOwn, '--disk', '--rounds', '1'])
    expectAllDelivered(result)
    expect(result.lines, result.said).toContain('refused with: store_full')
  },
)

test(
  'on PostgreSQL workers whose clocks are an hour off send nothing early and steal no lease',
  { timeout: 60_000 },
  async () => {
    const result = await crash([...onShared, '--clock', '--rounds', '2'])
    expectAllDelivered(result)
    expect(result.lines.join('\n'), result.said).toMatch(/^for later [1-9]\d* early 0$/m)
  },
)
