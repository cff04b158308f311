import PgBoss from 'pg-boss'

const workers = 10
const batchSize = 50

/** As its documentation advises for speed: several workers, and jobs in batches, here sent at the same time. */
export async function start(url, deliver) {
  const boss = new PgBoss({ connectionString: url, max: 20 })
  boss.on('error', (error) => console.error(error))
  await boss.start()
  await boss.createQueue('webhooks')
  for (let count = 0; count < workers; count += 1)
    await boss.work('webhooks', { batchSize, pollingIntervalSeconds: 0.5 }, (jobs) =>
      Promise.all(jobs.map((job) => deliver(job.data))),
    )
  return {
    send: (job) => boss.send('webhooks', job),
    stop: () => boss.stop({ graceful: false }),
  }
}
