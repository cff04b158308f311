import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { handler, toNodeListener } from 'posthorn/server'
import { main as inExpress } from '../../examples/embed-express.ts'
import { main as inHono } from '../../examples/embed-hono.ts'
import { serverWorld } from '../server/world.ts'

test.each([
  ['hono', inHono],
  ['express', inExpress],
])("examples/embed-%s.ts serves the API to the host's own people, and to nobody else", async (_name, main) => {
  expect(await main()).toEqual({ endpoint: 201, message: 202, stranger: 401, elsewhere: 403 })
})

test('behind a body parser of express the API says what to do', async () => {
  const { posthorn } = await serverWorld()
  const app = express()
  app.use(express.json())
  app.use(toNodeListener(handler(posthorn)))
  const server = app.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const init = {
    method: 'POST',
    body: '{"name":"a"}',
    headers: { 'content-type': 'application/json', connection: 'close' },
  }
  const response = await fetch(`${url}/api/v1/app`, init)
  expect([response.status, await response.json()]).toEqual([
    500,
    { code: 'body_was_read', detail: expect.stringContaining('before express.json()') as string },
  ])
  expect((await fetch(`${url}/api/v1/health/ping`, { headers: { connection: 'close' } })).status).toBe(204)
})
