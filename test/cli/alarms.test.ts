import { expect, test } from 'vitest'
import { operationsUid } from '../../src/core/alarms/operational.ts'
import { run } from './run.ts'
import { shop } from './shop.ts'

test('targets of alarms are added, listed, tested and removed', async () => {
  const { environment, store } = await shop()
  const nobody = await run(['alarms', 'test'], environment)
  expect(nobody).toMatchObject({
    code: 3,
    lines: ['There is no target. Add one with: posthorn alarms add <url>'],
  })
  const added = await run(['alarms', 'add', 'http://127.0.0.1:9/slack', '--slack', '--types', 'alarm.*'], environment)
  expect(added).toMatchObject({ code: 0, lines: [expect.stringMatching(/^ep_/)] })
  const id = added.lines[0] ?? ''
  const listed = await run(['alarms', 'targets'], environment)
  expect(listed.lines.at(-1)?.split(/\s+/)).toEqual([id, 'slack', 'active', 'alarm.*', 'http://127.0.0.1:9/slack'])
  const tested = await run(['alarms', 'test'], environment)
  expect(tested).toMatchObject({ code: 0, lines: ['A test is on its way to 1 target.'] })
  const application = await store.directory.application(operationsUid)
  expect(await store.directory.countDeliveries({ applicationId: application?.id ?? '' }, 10)).toBe(1)
  expect(await run(['alarms', 'rm', id], environment)).toMatchObject({ code: 0, lines: [`removed ${id}`] })
  const entries = await store.directory.audit({ target: id }, { limit: 10, after: null })
  expect(entries.map(({ action, from }) => [action, from])).toEqual([
    ['delete', 'cli'],
    ['endpoint.create', 'cli'],
  ])
  expect(await run(['alarms', 'rm', id], environment)).toMatchObject({ code: 3 })
})

test('thresholds that contradict each other are refused at the start, by their names', async () => {
  const { environment } = await shop()
  const contradicting = { ...environment, POSTHORN_ALARM_DEAD_LETTER_WARN_PERCENT: '5' }
  expect(await run(['worker'], contradicting)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'Expected `POSTHORN_ALARM_DEAD_LETTER_WARN_PERCENT` to be less than POSTHORN_ALARM_DEAD_LETTER_PAGE_PERCENT, which is 5, got 5.',
    ),
  })
})

test('alarms that are raised are listed, as a table and as JSON', async () => {
  const { environment, store, posthorn } = await shop()
  expect(await run(['alarms', 'ls'], environment)).toMatchObject({ code: 0, lines: ['No alarm is raised.'] })
  await store.directory.saveAlarms([
    {
      id: 'dead-letter-rate',
      signal: 'dead-letter-rate',
      subject: '',
      level: 2,
      value: 7.25,
      threshold: 5,
      raisedAt: posthorn.now(),
      resolvedAt: null,
      notifiedAt: null,
      owed: null,
      owedAt: null,
      noted: 0,
      notedAt: null,
      version: 0,
    },
  ])
  const { lines } = await run(['alarms', 'ls'], environment)
  expect(lines[0]).toMatch(/^SEVERITY +ALARM +SINCE +ACKNOWLEDGED +MESSAGE$/)
  expect(lines[1]).toMatch(/^page +dead-letter-rate +\S+ +- +7.3 % of the deliveries that ended in the last 5 minutes/)
  expect(await run(['alarms', 'ack', 'dead-letter-rate'], environment)).toMatchObject({
    lines: ['acknowledged dead-letter-rate'],
  })
  const seen = await run(['alarms', 'ls'], environment)
  expect(seen.lines[1]).toMatch(/^page +dead-letter-rate +\S+ +\S*[a-z]\S* +7.3 %/)
  const asJson = await run(['alarms', 'ls', '--json'], environment)
  expect(JSON.parse(asJson.lines.join('\n'))).toMatchObject({ data: [{ severity: 'page', value: 7.25 }] })
})
