// What the README's first program does: sends one webhook, receives it, and checks its signature.   node deliver.mjs
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Posthorn } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { verify } from 'posthorn/verify'

const customer = createServer().listen(0, '127.0.0.1')
await once(customer, 'listening')
const request = received()
const posthorn = new Posthorn({ store: sqlite('deliver.db'), allowedTargets: ['127.0.0.1/32'] })
await posthorn.start()
const url = `http://127.0.0.1:${customer.address().port}/hooks`
const { secrets } = await posthorn.endpoints.create({ application: 'acme', url })
const { id } = await posthorn.send({ application: 'acme', type: 'invoice.paid', data: { id: 7 } })
const { body, headers } = await request
const { messageId } = verify(body, headers, secrets[0].value)
await posthorn.stop()
customer.closeAllConnections()
customer.close()
if (messageId !== id) throw new Error(`Expected ${id} to arrive, got ${messageId}.`)
console.log('delivered and verified')

async function received() {
  const [incoming, response] = await once(customer, 'request')
  const chunks = await incoming.toArray()
  response.writeHead(204).end()
  return { body: Buffer.concat(chunks), headers: incoming.headers }
}
