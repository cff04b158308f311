// A worker in a process of its own: delivers until its parent lets go, and tells how many.
import { Posthorn } from 'posthorn'
import { postgres } from 'posthorn/postgres'

const [, , url, schema] = process.argv
const posthorn = new Posthorn({
  store: postgres(url, { schema, plaintextSecrets: true }),
  allowedTargets: ['127.0.0.1'],
})
let untold = 0
posthorn.on('delivery.delivered', () => (untold += 1))
posthorn.on('warning', ({ code, message }) => {
  if (code !== 'secrets_key') console.error(`warning: ${code}: ${message}`)
})
await posthorn.start()
process.send(0)
const telling = setInterval(() => {
  if (untold > 0) process.send(untold)
  untold = 0
}, 10)
process.once('disconnect', () => {
  clearInterval(telling)
  void posthorn.stop()
})
