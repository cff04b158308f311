import { Logger, run } from 'graphile-worker'

/** With its local queue and with completions in batches, which is its fastest form. */
export async function start(url, deliver) {
  const runner = await run({
    connectionString: url,
    maxPoolSize: 20,
    concurrency: 100,
    noHandleSignals: true,
    logger: new Logger(() => () => undefined),
    taskList: { deliver },
    preset: {
      worker: {
        connectionString: url,
        concurrentJobs: 100,
        maxPoolSize: 20,
        localQueue: { size: 500 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  })
  return {
    send: (job) => runner.addJob('deliver', job),
    stop: () => runner.stop(),
  }
}
