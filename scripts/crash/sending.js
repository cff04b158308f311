import { fileURLToPath } from 'node:url'
import { startChild } from './processes.js'

const script = fileURLToPath(new URL('sender.js', import.meta.url))

/** Starts senders, one after the other, and records what became of their messages. */
export function makeSending({ dist, databaseUrl, schema = 'posthorn', given, witness, delivers, preloads = [] }) {
  const notes = { accepted: new Map(), notBefore: new Map(), rejections: [], poisonId: null, isDone: false }
  let sends = true

  function note(line) {
    const [word, subject, notBefore] = line.split(' ')
    const at = performance.now()
    if (word === 'rejected') notes.rejections.push({ code: subject, at })
    if (word === 'poison') notes.poisonId = subject
    if (word === 'accepted' || word === 'poison') notes.accepted.set(subject, at)
    if (Number(notBefore ?? 0) > 0) notes.notBefore.set(subject, Number(notBefore))
  }

  return {
    notes,
    start() {
      const { leaseMs, pollMs, traffic, thread } = given
      const started = startChild(
        script,
        [dist, databaseUrl, JSON.stringify({ schema, delivers, sends, leaseMs, pollMs, traffic, thread })],
        {
          environment: witness.environment,
          preloads: [...witness.preloads, ...preloads],
          isReady: ({ kind }) => kind === 'ready',
          onMessage(message, pid) {
            witness.heard(message, pid)
            if (message.kind === 'done') notes.isDone = true
          },
        },
      )
      started.lines.on('line', note)
      return started
    },
    /** Senders started from now on send nothing, either. */
    stopAsking: () => (sends = false),
  }
}
