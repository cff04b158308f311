import { Queue, Worker } from 'bullmq'

export async function start(url, deliver) {
  const connection = { url, maxRetriesPerRequest: null }
  const queue = new Queue('webhooks', { connection })
  const worker = new Worker('webhooks', (job) => deliver(job.data), { connection, concurrency: 100 })
  worker.on('error', (error) => console.error(error))
  await worker.waitUntilReady()
  return {
    send: (job) => queue.add('deliver', job, { removeOnComplete: true }),
    async stop() {
      await worker.close(true)
      await queue.close()
    },
  }
}
