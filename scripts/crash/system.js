import { within } from './processes.js'

/** The system under test on either database: workers to damage, a sender, and an observer of the store. */
export function makeSystem({ sending, sender, workers, observer, close, ...more }) {
  let closing = null
  return {
    notes: sending.notes,
    workers,
    observer,
    ...more,
    async ready() {
      await Promise.all([...workers, sender].map((process) => process.ready()))
    },
    async sendPoison() {
      await sender.ready()
      sender.send({ kind: 'poison' })
      await within(30_000, 'the poison to be accepted', () => sending.notes.poisonId !== null)
    },
    async stopSending() {
      sending.stopAsking()
      await within(60_000, 'the sender to stop', () => {
        // Repeatedly: it may end just now, or not be listening yet.
        sender.send({ kind: 'enough' })
        return sending.notes.isDone
      })
    },
    close: () => (closing ??= close()),
  }
}
