import { expect, test } from 'vitest'
import { unknownVariables } from '../../src/config/environment.ts'
import { withFlagNames } from '../../src/cli/http-api/flag-names.ts'
import { run } from './run.ts'
import { shop } from './shop.ts'

test.each([
  ['Expected `eventType` to be …', ['application', 'data'], ['<type>'], 'Expected `<type>` to be …'],
  ['Expected `eventTypes.0` to be …', ['type', 'rate'], ['<url>'], 'Expected `--type` to be …'],
  ['Expected `throttleRate` to be …', ['type', 'rate'], ['<url>'], 'Expected `--rate` to be …'],
  ['Expected `url` to be …', ['type', 'rate'], ['<url>'], 'Expected `<url>` to be …'],
  ['Expected `sessionId` to be …', ['session-id'], [], 'Expected `--session-id` to be …'],
  ['Expected `elsewhere` to be …', ['session-id'], [], 'Expected `elsewhere` to be …'],
])('%s is said of the flag', (sentence, options, takes, wanted) => {
  expect(withFlagNames(sentence, options, takes)).toBe(wanted)
})

test('a command names the flag that is wrong', async () => {
  const { environment } = await shop()
  const bad = async (...args: string[]): Promise<string> => (await run(args, environment)).stderr
  expect(await bad('send', 'a..b', '--application', 'acme', '--data', '{}')).toContain('<type>')
  expect(await bad('send', 'a', '--application', 'acme', '--data', '{}', '--event-id', 'a b')).toContain(
    '`--event-id` to be',
  )
  expect(await bad('endpoints', 'create', 'nowhere', '--application', 'acme')).toContain(
    '`<url>` to be an absolute http(s) URL',
  )
  expect(await bad('endpoints', 'create', 'https://a.example', '--application', 'acme', '--policy', 'none')).toContain(
    '`--policy` to be one of',
  )
})

test('a key that was copied from a page with its dots is refused in a sentence', async () => {
  const { code, stderr } = await run(['endpoints', 'ls'], {
    POSTHORN_SERVER: 'http://127.0.0.1:9',
    POSTHORN_KEY: 'phk_…',
  })
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^posthorn: Expected an API key .*POSTHORN_KEY_FILE or --key-file\.\n$/),
  })
})

test('a variable that is no setting is warned of', async () => {
  expect(
    unknownVariables({
      POSTHORN_PROT: '1',
      POSTHORN_CONFIG: 'x',
      POSTHORN_KEY_FILE: 'x',
      OTHER: '1',
      POSTHORN_PORT: '1',
    }),
  ).toEqual(['POSTHORN_PROT is no setting of Posthorn. Did you mean "POSTHORN_PORT"?'])
  const { stderr, code } = await run(['config'], { POSTHORN_DATABASEURL: 'sqlite:x.db' })
  expect([code, stderr]).toEqual([
    0,
    'warning: POSTHORN_DATABASEURL is no setting of Posthorn. Did you mean "POSTHORN_DATABASE_URL"?\n',
  ])
})
