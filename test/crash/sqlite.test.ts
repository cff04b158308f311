import { expect, test } from 'vitest'
import { crashRun, expectAllDelivered, expectOnlyPoisonBlamed } from './crash.ts'

const crash = crashRun()
// A second, so that a run of seconds sees leases run out. There is nobody to lose them to, however busy the machine.
const onFile = ['--store', 'sqlite', '--lease', '1000']

test.each([
  { what: 'that is killed and restarted again and again', args: ['--kills', '2', '--restarts', '1'] },
  { what: 'that lives shorter than a lease, time after time,', args: ['--loop', '4'] },
  { what: 'that stands still for two leases', args: ['--stop', '--rounds', '1'] },
  { what: 'that is killed while its clock is an hour off', args: ['--clock', '--rounds', '2'] },
])('on SQLite an engine $what loses nothing', { timeout: 60_000 }, async ({ args }) => {
  expectAllDelivered(await crash([...onFile, ...args]))
})

test.each([
  { what: 'that is killed and restarted again and again', args: ['--kills', '2', '--restarts', '1'] },
  { what: 'that lives shorter than a lease, time after time,', args: ['--loop', '4'] },
  { what: 'that stands still for two leases', args: ['--stop', '--rounds', '1'] },
])('on SQLite an engine in a thread of its own $what loses nothing', { timeout: 60_000 }, async ({ args }) => {
  expectAllDelivered(await crash([...onFile, '--thread', ...args]))
})

test('on SQLite a delivery that ends its worker takes no other along', { timeout: 60_000 }, async () => {
  expectOnlyPoisonBlamed(await crash([...onFile, '--poison']))
})

test(
  'on SQLite a full disk is said so by `send`, and costs nothing once it is freed',
  { timeout: 60_000 },
  async () => {
    const result = await crash([...onFile, '--disk', '--rounds', '1'])
    expectAllDelivered(result)
    expect(result.lines, result.said).toContain('integrity_check: ok')
  },
)
