import { commandSources } from '../../config/environment.ts'
import type { Settings } from '../../config/settings.ts'
import { givenSettings, settingsFrom } from '../../config/sources.ts'
import type { HttpServer } from '../../server/http/http-server.ts'
import type { CommandOptions, Terminal } from '../command.ts'
import { logEvents, logWarnings } from '../logs/events.ts'
import type { Log } from '../logs/log.ts'
import { processLog } from '../logs/process-log.ts'
import { openMetrics } from '../processes/metrics.ts'
import type { CommandMetrics } from '../processes/metrics.ts'
import { labelsFrom } from '../view/labels.ts'
import { lineView } from '../view/lines.ts'
import { screenView } from '../view/screen.ts'
import type { View } from '../view/view.ts'
import { answerRequests, openHttpServer } from './http-server.ts'
import { nextSteps } from './next-steps.ts'
import { sampleRequestsFrom } from './sample-requests.ts'
import { setupOnDatabase, setupWithSamples } from './setup.ts'
import type { DevSetup } from './setup.ts'
import { endLine, lost, openLine, readTotals } from './totals.ts'
import { watch } from './watch.ts'
import type { End } from './watch.ts'

/** Shows deliveries as they happen, until it is stopped or all samples have ended. */
export async function runDev({ once, database }: CommandOptions, terminal: Terminal): Promise<number> {
  const sources = commandSources()
  const settings = settingsFrom(sources)
  const given = givenSettings(sources)
  const databaseUrl = typeof database === 'string' ? database : given.databaseUrl
  const served = once === true ? null : await openServer(settings, given)
  try {
    const own = { ownPort: served?.server.port ?? null, meter: served?.metrics.meter ?? null }
    const setup =
      databaseUrl === undefined
        ? await setupWithSamples(settings, given, own)
        : await setupOnDatabase(databaseUrl, settings, own)
    try {
      return await deliverAndShow({ setup, served, settings, given, once: once === true, terminal })
    } finally {
      await setup.close()
    }
  } finally {
    await served?.metrics.close()
    await served?.server.close()
  }
}

interface Served {
  readonly server: HttpServer
  readonly metrics: CommandMetrics
}

/** Both ports, or none. */
async function openServer(settings: Settings, given: Partial<Settings>): Promise<Served> {
  const server = await openHttpServer(settings, given)
  try {
    return { server, metrics: await openMetrics(settings) }
  } catch (thrown) {
    await server.close()
    throw thrown
  }
}

interface DevRun {
  readonly setup: DevSetup
  /** Null with --once: there is nobody to serve. */
  readonly served: Served | null
  readonly settings: Settings
  readonly given: Partial<Settings>
  readonly once: boolean
  readonly terminal: Terminal
}

async function deliverAndShow(run: DevRun): Promise<number> {
  const { setup, served, settings, once, terminal } = run
  const { posthorn, samples } = setup
  let view: View | null = null
  let end: End
  let enqueued = 0
  const note = (text: string): void => (view === null ? terminal.say(text) : view.note(text))
  posthorn.on('message.enqueued', () => void (enqueued += 1))
  const log = openLog(run, note)
  try {
    await posthorn.start()
    await startServer(run, log)
    const requests = samples === null || once ? null : sampleRequestsFrom(terminal)
    view = openView(run, requests?.hint ?? 'Ctrl-C ends')
    end = await watch({ setup, view, requests, once, signal: terminal.interrupted })
    await served?.server.close()
    if (end === 'interrupted') view.note('Stopping: attempts under way may end. Ctrl-C again leaves at once.')
  } finally {
    await posthorn.stop({ graceMs: settings.shutdownGraceMs })
    log.close()
  }
  // With --once nobody else can send: what counts is what was accepted, whether its event came or not.
  return finish(run, view, end, once ? (samples?.accepted ?? 0) : enqueued)
}

/** Deliveries are already on screen: they are logged only if a level was requested. */
function openLog(
  { setup: { posthorn, samples }, settings, given, terminal }: DevRun,
  note: (text: string) => void,
): Log {
  const { logLevel = 'warn' } = given
  const log = processLog({ ...settings, logLevel }, terminal, (line) => note(line.trimEnd()))
  // The key of a database that is deleted at the end needs no backup.
  logWarnings(posthorn, log, samples === null ? [] : ['secrets_key'])
  if (given.logLevel !== undefined) logEvents(posthorn, log)
  return log
}

async function startServer(
  { setup: { posthorn }, served, settings, terminal: { output } }: DevRun,
  log: Log,
): Promise<void> {
  if (served === null) return
  const { server, metrics } = served
  const line = await answerRequests({ server, metrics, posthorn, settings }, log, output.isTTY)
  if (line !== null) output.write(`${line}\n`)
  output.write(`posthorn listening on ${server.url}\n`)
  output.write(`dashboard at ${server.url}/\n`)
  if (metrics.url !== null) output.write(`posthorn metrics on ${metrics.url}/metrics\n`)
}

function openView({ setup: { posthorn, store, title }, terminal }: DevRun, hint: string): View {
  const { directory } = store
  const parts = { terminal, posthorn, directory, labels: labelsFrom(directory), title, hint }
  return terminal.output.isTTY ? screenView(parts) : lineView(parts)
}

/** Reports how it ended: not by the events seen on the way, but by what a new reader finds in the store. */
async function finish(
  { setup: { store, samples }, once, terminal }: DevRun,
  view: View,
  end: End,
  sent: number,
): Promise<number> {
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
