import { commandSources, givenSettings, settingsFrom } from '../../config.ts'
import type { Settings } from '../../config.ts'
import type { HttpServer } from '../../server/http/http-server.ts'
import type { CommandOptions, Terminal } from '../command.ts'
import { openFront, serveFront } from '../dev/front.ts'
import { nextSteps } from '../dev/next-steps.ts'
import { requestsOf } from '../dev/requests.ts'
import { ownStage, sampleStage } from '../dev/stage.ts'
import type { Stage } from '../dev/stage.ts'
import { endLine, lost, openLine, readTotals } from '../dev/totals.ts'
import { watch } from '../dev/watch.ts'
import type { End } from '../dev/watch.ts'
import { labelsFrom } from '../view/labels.ts'
import { lineView } from '../view/lines.ts'
import { screenView } from '../view/screen.ts'
import type { View } from '../view/view.ts'

/** Shows deliveries as they happen, until it is stopped or all samples have ended. */
export async function dev({ once, database }: CommandOptions, terminal: Terminal): Promise<number> {
  const sources = commandSources()
  const settings = settingsFrom(sources)
  const given = givenSettings(sources)
  const databaseUrl = typeof database === 'string' ? database : given.databaseUrl
  const front = once === true ? null : await openFront(settings, given)
  try {
    const ownPort = front?.port ?? null
    const stage = databaseUrl === undefined ? await sampleStage(settings, given, ownPort) : await ownStage(databaseUrl, settings, ownPort)
    try {
      return await perform({ stage, front, settings, once: once === true, terminal })
    } finally {
      await stage.close()
    }
  } finally {
    await front?.close()
  }
}

interface Performance {
  readonly stage: Stage
  readonly front: HttpServer | null
  readonly settings: Settings
  readonly once: boolean
  readonly terminal: Terminal
}

async function perform({ stage, front, settings, once, terminal }: Performance): Promise<number> {
  const { posthorn, store, samples, title } = stage
  const requests = samples === null || once ? null : requestsOf(terminal)
  const labels = labelsFrom(store.directory)
  let view: View | null = null
  let end: End
  let enqueued = 0
  posthorn.on('message.enqueued', () => void (enqueued += 1))
  posthorn.on('warning', ({ code, message }) => {
    // The key to a database that is deleted at the end needs no backup.
    if (code === 'secrets_key' && samples !== null) return
    if (view === null) terminal.say(`warning: ${message}`)
    else view.note(`warning: ${message}`)
  })
  try {
    await posthorn.start()
    if (front !== null) {
      const key = await serveFront(front, posthorn, settings, (text) => (view === null ? terminal.say(text) : view.note(text)))
      if (key !== null) terminal.output.write(`posthorn admin key, shown only now: ${key}\n`)
      terminal.output.write(`posthorn listening on ${front.url}\n`)
      terminal.output.write(`dashboard at ${front.url}/\n`)
    }
    const parts = { terminal, posthorn, directory: store.directory, labels, title, hint: requests?.hint ?? 'Ctrl-C ends' }
    view = terminal.output.isTTY ? screenView(parts) : lineView(parts)
    end = await watch(stage, view, requests, once, terminal.interrupted)
    await front?.close()
    if (end === 'interrupted') view.note('Stopping: attempts under way may end. Ctrl-C again leaves at once.')
  } finally {
    await posthorn.stop({ graceMs: settings.shutdownGraceMs })
  }
  // With --once nobody else can send: what counts is what was accepted, whether it was heard of or not.
  return conclude({ stage, view, once, end, terminal, sent: once ? (samples?.accepted ?? 0) : enqueued })
}

interface Conclusion extends Pick<Performance, 'stage' | 'once' | 'terminal'> {
  readonly view: View
  readonly end: End
  readonly sent: number
}

/** Says how it ended. What counts is not what was heard on the way, but what a new reader finds in the store. */
async function conclude({ stage: { store, samples }, view, once, end, terminal, sent }: Conclusion): Promise<number> {
  await store.open()
  try {
    await view.close()
    const totals = await readTotals(store.directory, sent)
    const isOver = once && samples !== null && end !== 'interrupted'
    if (isOver) terminal.say(nextSteps)
    terminal.output.write(`${isOver ? endLine(totals) : openLine(totals)}\n`)
    if (isOver && lost(totals) !== 0) return 1
    return once && end === 'interrupted' ? 130 : 0
  } finally {
    await store.close()
  }
}
