import { expect, test } from 'vitest'
import { openApi } from '../../src/server/openapi/document.ts'
import { operations } from '../../src/server/operations.ts'
import { testPosthorn } from 'posthorn/testing'
import { serverWorld } from './world.ts'

interface Described {
  operationId: string
  security?: unknown[]
  parameters: { name: string; in: string }[]
  requestBody?: unknown
  responses: Record<string, unknown>
}

interface Document {
  openapi: string
  paths: Record<string, Record<string, Described>>
  webhooks: Record<string, { post: { parameters: { name: string }[] } }>
  components: { schemas: Record<string, unknown>; responses: Record<string, unknown> }
}

async function documentOf(): Promise<Document> {
  const { call } = await serverWorld()
  const { status, body } = await call('GET', '/api/v1/openapi.json', { token: null })
  expect(status).toBe(200)
  return body as Document
}

test('every operation is described, with its answers, its refusals and its parameters', async () => {
  const { openapi, paths } = await documentOf()
  expect(openapi).toBe('3.1.0')
  const all = Object.values(paths).flatMap((methods) => Object.values(methods))
  expect(all.map(({ operationId }) => operationId).toSorted()).toEqual(operations.map(({ id }) => id).toSorted())
  for (const { id, path, method, answers, body, realm } of operations) {
    const described = paths[path]?.[method]
    if (described === undefined) throw new Error(`${id} is not described.`)
    const { responses, parameters, requestBody, security } = described
    const statuses = Object.keys(responses)
    expect({ [id]: statuses }).toEqual({
      [id]: expect.arrayContaining([
        ...Object.keys(answers),
        '422',
        '500',
        '503',
        ...(realm === 'public' ? [] : ['401', '403', '429']),
      ]) as string[],
    })
    expect(parameters.filter((each) => each.in === 'path').map(({ name }) => `{${name}}`)).toEqual(
      path.match(/\{\w+\}/g) ?? [],
    )
    expect(requestBody !== undefined).toBe(body !== undefined)
    expect(security).toEqual(realm === 'public' ? [] : undefined)
  }
})

test('every reference leads somewhere', async () => {
  const document = await documentOf()
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(schemas|responses)\/([^"]+)"/g)]
  expect(references.length).toBeGreaterThan(50)
  for (const [, kind, name] of references)
    expect(document.components[kind as 'schemas' | 'responses']).toHaveProperty([name ?? ''])
  expect([...JSON.stringify(document).matchAll(/"\$ref":/g)]).toHaveLength(references.length)
})

test('two schemas of one name would hide each other: there are none', () => {
  const named = new Map<string, string>()
  for (const operation of operations) {
    const { components } = openApi([operation], '') as unknown as Document
    for (const [name, schema] of Object.entries(components.schemas)) {
      expect({ [name]: JSON.stringify(schema) }).toEqual({ [name]: named.get(name) ?? JSON.stringify(schema) })
      named.set(name, JSON.stringify(schema))
    }
  }
  expect(named.size).toBeGreaterThan(20)
})

test('what endpoints get is described by the headers that really leave', async () => {
  const { webhooks } = await documentOf()
  const { posthorn, sent } = await testPosthorn()
  await posthorn.endpoints.create({ application: 'acme', url: 'https://acme.example/hooks' })
  await posthorn.send({ application: 'acme', type: 'invoice.paid', data: {} })
  await posthorn.idle()
  await posthorn.stop()
  const described = webhooks['message']?.post.parameters.map(({ name }) => name)
  expect(Object.keys(sent()[0]?.headers ?? {})).toEqual(expect.arrayContaining(described ?? ['nothing']))
})
