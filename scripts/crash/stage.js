import { within } from './processes.js'

/** What both databases have in common: workers to harm, a sender, and someone who can tell how things stand. */
export function makeStage({ sending, sender, workers, observer, close, ...more }) {
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
        // Again and again: it may end just now, or not have started to listen.
        sender.send({ kind: 'enough' })
        return sending.notes.isDone
      })
    },
    close: () => (closing ??= close()),
  }
}
