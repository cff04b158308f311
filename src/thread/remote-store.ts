import type { Directory } from '../core/ports/directory.ts'
import type { Store } from '../core/ports/ports.ts'
import type { EnqueueRequest, Enqueued, Queue } from '../core/ports/queue.ts'
import type { EngineThread } from './engine-thread.ts'

type Place = 'here' | 'there'
type Call = (...given: readonly unknown[]) => Promise<unknown>

/**
 * A store that is written in the engine thread, in its commits, and read in this one, on a separate connection: a long list delays
 * no delivery. Once a write is answered, reads see it.
 */
export function remoteStore(local: Store, thread: EngineThread): Store {
  const { kind, lookMs, time, within, disk } = local
  const there = (name: keyof Store, given: readonly unknown[]): Promise<unknown> => thread.call('store', name, given)
  return {
    ...(kind === undefined ? {} : { kind }),
    queue: { ...divided(local.queue, queueCalls, thread, 'queue'), enqueue: (request) => enqueue(thread, request) },
    directory: divided(local.directory, directoryCalls, thread, 'directory'),
    async open() {
      thread.open()
      // In the other thread first: the first one to open it may have to create or migrate it.
      const notes = (await there('open', [])) as readonly string[]
      await local.open()
      return notes
    },
    attach: async (worker) => void (await there('attach', [worker])),
    detach: async (workerId) => void (await there('detach', [workerId])),
    beat: async (...given) => (await there('beat', given)) as Awaited<ReturnType<Store['beat']>>,
    async close() {
      await local.close()
      if (!thread.isOpen) return
      await there('close', [])
      await thread.end()
    },
    ...(lookMs === undefined ? {} : { lookMs }),
    ...(time === undefined ? {} : { time: () => time() }),
    ...(within === undefined ? {} : { within: (tx: unknown) => within(tx) }),
    ...(disk === undefined ? {} : { disk: () => disk() }),
  }
}

/** Read-only calls stay here. */
function divided<Calls extends object>(
  local: Calls,
  places: Readonly<Record<keyof Calls & string, Place>>,
  thread: EngineThread,
  target: 'queue' | 'directory',
): Calls {
  const calls = Object.entries<Place>(places).map(([name, place]): [string, Call] => {
    const here = Reflect.get(local, name) as Call
    return [name, place === 'here' ? (...given) => here(...given) : (...given) => thread.call(target, name, given)]
  })
  return Object.fromEntries(calls) as Calls
}

/** A function cannot be sent: a message that may not begin is withdrawn before it is sent. */
async function enqueue(thread: EngineThread, { begins, ...request }: EnqueueRequest): Promise<Enqueued[]> {
  if (begins?.() === false) return request.envelopes.map(() => ({ kind: 'withdrawn' }))
  return (await thread.call('queue', 'enqueue', [request])) as Enqueued[]
}

// Tables, so that the compiler reports a missing call.
const queueCalls: Readonly<Record<keyof Queue, Place>> = {
  enqueue: 'there',
  dueEndpoints: 'there',
  claim: 'there',
  start: 'there',
  renew: 'there',
  mark: 'there',
  release: 'there',
  requeue: 'there',
  cancel: 'there',
  prune: 'there',
  health: 'here',
  saveHealth: 'there',
  disable: 'there',
  takeTokens: 'there',
  returnTokens: 'there',
  takeTurn: 'there',
}

const directoryCalls: Readonly<Record<keyof Directory, Place>> = {
  createApplication: 'there',
  application: 'here',
  listApplications: 'here',
  updateApplication: 'there',
  eraseApplication: 'there',
  applicationsAmong: 'here',
  createEndpoint: 'there',
  endpoint: 'here',
  listEndpoints: 'here',
  endpointsOf: 'here',
  updateEndpoint: 'there',
  rotateSecret: 'there',
  endpointsById: 'here',
  // It reads within a transaction, which would wait for the writer.
  matching: 'there',
  endpointCounts: 'here',
  endpointFigures: 'here',
  failingEndpoints: 'here',
  endpointHealthCounts: 'here',
  failuresOf: 'here',
  lastFailureOf: 'here',
  nextRetryOf: 'here',
  endpointBuckets: 'here',
  createEventType: 'there',
  eventType: 'here',
  listEventTypes: 'here',
  updateEventType: 'there',
  setEventTypeSchema: 'there',
  deleteEventType: 'there',
  message: 'here',
  messagesById: 'here',
  messageOf: 'here',
  messagesNamed: 'here',
  messageProgress: 'here',
  listMessages: 'here',
  countMessages: 'here',
  eraseMessage: 'there',
  expirePayloads: 'there',
  delivery: 'here',
  listDeliveries: 'here',
  countDeliveries: 'here',
  deadLetters: 'here',
  dueBefore: 'here',
  endedLeases: 'here',
  attempts: 'here',
  lastAttempts: 'here',
  listAttempts: 'here',
  eraseAttempt: 'there',
  addDelivery: 'there',
  createJob: 'there',
  job: 'here',
  listJobs: 'here',
  runningJob: 'here',
  changeJob: 'there',
  advanceJob: 'there',
  advanceReplay: 'there',
  createKey: 'there',
  key: 'here',
  keyByHash: 'here',
  listKeys: 'here',
  listSessions: 'here',
  endSessions: 'there',
  revokeKey: 'there',
  takeReply: 'there',
  saveReply: 'there',
  dropReply: 'there',
  watchEvents: 'there',
  areEventsWatched: 'here',
  addEvents: 'there',
  eventsFrom: 'here',
  alarms: 'here',
  saveAlarms: 'there',
  forgetAlarms: 'there',
  noteAlarm: 'there',
  alarmReadings: 'here',
  search: 'here',
  overview: 'here',
  audit: 'here',
  note: 'there',
  countNote: 'there',
  workers: 'here',
}
