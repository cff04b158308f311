// A bare hono route that parses a message and answers with it: what HTTP and JSON alone cost on this machine.
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const app = new Hono()
app.post('/api/v1/app/:app/msg', async (context) => {
  const { eventType, payload } = await context.req.json()
  return context.json({ id: 'msg_0', eventType, payload, timestamp: new Date().toISOString() }, 202)
})
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  console.log(`posthorn listening on http://127.0.0.1:${port}`),
)
