import { expect, test } from 'vitest'
import { routesWorld } from './routes/world.ts'

const url = 'https://acme.example/hooks'

test.each([
  ['/app', {}, 'Expected `name` to be text, got nothing.'],
  ['/app', { name: 7 }, 'Expected `name` to be text, got 7.'],
  ['/app', { name: '' }, 'Expected `name` to be at least 1 characters, got "".'],
  ['/app', { name: 'a', uid: 'a b' }, 'Expected `uid` to be letters, digits, - _ or ., got "a b".'],
  ['/app', { name: 'a', throttleRate: 1.5 }, 'Expected `throttleRate` to be a whole number, got 1.5.'],
  ['/app', { name: 'a', throttleRate: 0 }, 'Expected `throttleRate` to be at least 1, got 0.'],
  ['/app', { name: 'a', metadata: { a: 1 } }, 'Expected `metadata.a` to be text, got 1.'],
  ['/app', { name: 'a', metadata: [] }, 'Expected `metadata` to be an object, got an array of 0.'],
  ['/app', '[]', 'Expected `body` to be an object, got an array of 0.'],
  ['/app/acme/endpoint', { url, disabled: 'yes' }, 'Expected `disabled` to be true or false, got "yes".'],
  ['/app/acme/endpoint', { url, eventTypes: 'a' }, 'Expected `eventTypes` to be a list, got "a".'],
  ['/app/acme/endpoint', { url, throttleRate: 100_000 }, 'Expected `throttleRate` to be at most 65535, got 100000.'],
  [
    '/app/acme/endpoint',
    { url: 'http://acme.example/' },
    'Expected `url` to be an https URL, got "http:". Plain http needs `POSTHORN_ALLOW_HTTP`, or the target in `POSTHORN_ALLOWED_TARGETS`.',
  ],
  ['/app/acme/endpoint', { url, filter: 7 }, 'Expected a condition, such as {"path": "total", "greater": 100}.'],
  [
    '/app/acme/endpoint/hooks/recover',
    { since: 'then' },
    'Expected `since` to be a time such as 2026-01-31T12:00:00Z, got "then".',
  ],
  [
    '/app/acme/endpoint/hooks/bulk-replay',
    { since: '2026-01-01T00:00:00Z', status: 9 },
    'Expected `status` to be one of 2, 3, got 9.',
  ],
  [
    '/app/acme/endpoint/hooks/bulk-replay',
    { since: '2026-01-01T00:00:00Z', tag: 'x' },
    'Expected `tag` to be left out, got "x".',
  ],
  ['/job', { action: 'dance', filter: {} }, 'Expected `action` to be "requeue", "cancel" or "replay".'],
  ['/key', { name: 'a', access: 'all' }, 'Expected `access` to be one of "read", "write", got "all".'],
])('POST %s %j: the caller is told in words', async (path, body, sentence) => {
  const { ask } = await routesWorld('sqlite')
  expect(await ask(422, 'POST', path, body)).toMatchObject({ detail: [{ msg: sentence }] })
})

test('parameters of a query are told of in the same words', async () => {
  const { ask } = await routesWorld('sqlite')
  const { detail } = (await ask(422, 'GET', '/app/acme/msg?limit=many&iterator=x&with_content=maybe')) as {
    detail: { msg: string }[]
  }
  expect(detail.map(({ msg }) => msg)).toEqual([
    'Expected `limit` to be a number, got "many".',
    'Expected the `iterator` or `prevIterator` of an earlier response. Leave it out to start over.',
    'Expected `with_content` to be one of "true", "false", got "maybe".',
  ])
})
