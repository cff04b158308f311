import { expect, test } from 'vitest'
import { handler } from 'posthorn/server'
import { openApi } from '../../src/server/openapi/document.ts'
import type { Described } from '../../src/server/openapi/reference/described.ts'
import { bodyOf } from '../../src/server/openapi/reference/described.ts'
import { exampleOf } from '../../src/server/openapi/reference/example.ts'
import { prettyJson, prose } from '../../src/server/openapi/reference/html.ts'
import { apiPage } from '../../src/server/openapi/reference/page.ts'
import { sections } from '../../src/server/openapi/reference/sections.ts'
import { operations } from '../../src/server/operations.ts'
import { serverWorld } from './world.ts'

const document = openApi(operations, '')
const { paths, components } = document as unknown as Described
const page = apiPage(document)

test('the page has every operation, schema and error, each where a link can lead, and every link leads somewhere', () => {
  const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
  const wanted = [...operations.map(({ id }) => id), ...Object.keys(components.schemas), 'error-401', 'error-503']
  expect(wanted.filter((id) => !ids.has(id))).toEqual([])
  const links = [...page.matchAll(/href="api#([^"]+)"/g)].map(([, id]) => id)
  expect(links.length).toBeGreaterThan(300)
  expect(links.filter((id) => !ids.has(id ?? ''))).toEqual([])
})

test('every operation belongs to one section', () => {
  const tags = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ tags: all }) => all?.[0] ?? ''))
  const known = sections.flatMap((section) => section.tags)
  expect([...new Set(tags)].toSorted()).toEqual(known.toSorted())
})

test('every example of a request is accepted, and every example of an answer could be one', () => {
  const wrong: string[] = []
  for (const { id, path, method, body, answers } of operations) {
    const described = paths[path]?.[method]
    const sent = exampleOf(bodyOf(described?.requestBody) ?? {}, components.schemas, 'sent')
    if (body !== undefined && !body.safeParse(sent).success) wrong.push(`${id} ${JSON.stringify(sent)}`)
    for (const [status, schema] of Object.entries(answers)) {
      const answered = exampleOf(bodyOf(described?.responses[status]) ?? {}, components.schemas, 'answered')
      if (schema !== null && !schema.safeParse(answered).success)
        wrong.push(`${id} ${status} ${JSON.stringify(answered)}`)
    }
  }
  expect(wrong).toEqual([])
})

test.each([
  ['its own example', { type: 'string', example: 'mine', default: 'other' }, 'mine'],
  ['the first of its examples', { type: 'string', examples: ['one', 'two'] }, 'one'],
  ['the only value it can have', { const: 7 }, 7],
  ['its default', { type: 'integer', default: 50, minimum: 1 }, 50],
  ['the first of its alternatives', { enum: ['ascending', 'descending'] }, 'ascending'],
  ['a time', { type: 'string', format: 'date-time' }, '2026-05-04T12:00:00Z'],
  ['the least number', { type: 'integer', minimum: 3 }, 3],
  ['what is not null', { anyOf: [{ type: 'null' }, { type: 'boolean' }] }, false],
  ['what it refers to', { $ref: '#/components/schemas/Named' }, { url: 'https://example.com/webhooks' }],
  ['a list of one', { type: 'array', items: { type: 'string' } }, ['text']],
  ['nothing where nothing is said', {}, null],
])('an example is %s', (_, schema, expected) => {
  const schemas = {
    Named: { type: 'object', properties: { url: { type: 'string' }, rare: { type: 'string' } }, required: ['url'] },
  }
  expect(exampleOf(schema, schemas, 'sent')).toEqual(expected)
})

test('a schema that contains itself has an example with an end', () => {
  const schemas = { Tree: { type: 'object', properties: { inner: { $ref: '#/components/schemas/Tree' } } } }
  expect(JSON.stringify(exampleOf({ $ref: '#/components/schemas/Tree' }, schemas, 'answered')).length).toBeLessThan(200)
})

test('what is written is text, never markup', () => {
  expect(prose('<b> & `a < b`')).toBe('&lt;b&gt; &amp; <code>a &lt; b</code>')
  expect(prettyJson({ list: ['a', 'b'], deep: [{ a: 1 }] })).toBe(
    '{\n  "list": ["a", "b"],\n  "deep": [\n    {\n      "a": 1\n    }\n  ]\n}',
  )
})

test('the server answers with it below its mount, and lets it load nothing from elsewhere', async () => {
  const { posthorn } = await serverWorld()
  const response = await handler(posthorn, { basePath: '/hooks' })(new Request('http://posthorn.test/hooks/api'))
  // Not built, the page says how to build it.
  expect([200, 503]).toContain(response.status)
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'self';/)
  expect(page).not.toMatch(/<script|<style| style=| on\w+="|(href|src)="(https?:)?\/\//)
})
