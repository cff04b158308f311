import { pause, within } from './processes.js'

/** Kills a worker; its supervisor starts another. */
export async function killWorker({ faults, system }, index) {
  const worker = system.workers[index]
  const { pid } = worker
  const at = performance.now()
  await worker.end('SIGKILL')
  faults.push({ kind: 'kill', name: `kill -9 of ${worker.name}`, at, endedAt: performance.now(), pid })
}

/** Kills a worker, and waits for the next. */
export async function replaceWorker(context, index) {
  await killWorker(context, index)
  await context.system.workers[index].ready()
}

/** Even on a busy machine, a fault must find something to break. */
export async function moreReceipts({ receiver }, count) {
  const enough = receiver.receipts.length + count
  await within(60_000, 'deliveries between two faults', () => receiver.receipts.length >= enough)
}

/** Whatever happened to it, it must deliver again. */
export async function deliversAgain({ receiver }, worker) {
  const from = receiver.receipts.length
  await within(60_000, `${worker.name} to deliver again`, () =>
    receiver.receipts.slice(from).some(({ connection }) => connection.pid === worker.pid),
  )
}

/** Until the present leases have expired, twice, and others have looked. */
export async function pastTwoLeases({ given }) {
  await pause(2 * given.leaseMs + 2 * given.pollMs)
}
