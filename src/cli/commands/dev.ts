import { givenSettings, settingsFromEnvironment } from '../../config.ts'
import type { Settings } from '../../config.ts'
import type { Command, Terminal } from '../command.ts'
import { sampleEndpoints } from '../dev/behaviours.ts'
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

export const dev: Command = {
  name: 'dev',
  summary: 'delivers samples to a receiver that misbehaves, and shows it live; needs nothing',
  help: [
    'Usage: posthorn dev [--once] [--database url]',
    '',
    'Starts Posthorn on a temporary database and a local receiver, sends 20 samples, and shows',
    'deliveries, retries and dead letters as they happen. The receiver has these paths:',
    '',
    ...sampleEndpoints.map(({ name, sentence }) => `  /${name.padEnd(9)}${sentence}`),
    '',
    '  --once              ends when all samples have ended; exits with 1 if one was lost',
    '  --database <url>    delivers from this database instead, without samples;',
    '                      so does POSTHORN_DATABASE_URL',
    '',
    'All settings of the environment apply. Ctrl-C ends in order, a second one at once.',
  ].join('\n'),
  options: { once: { type: 'boolean' }, database: { type: 'string' } },
  async run({ once, database }, terminal) {
    const settings = settingsFromEnvironment()
    const given = givenSettings()
    const databaseUrl = typeof database === 'string' ? database : given.databaseUrl
    const stage = databaseUrl === undefined ? await sampleStage(settings, given) : await ownStage(databaseUrl, settings)
    try {
      return await perform(stage, settings, once === true, terminal)
    } finally {
      await stage.close()
    }
  },
}

async function perform(stage: Stage, settings: Settings, once: boolean, terminal: Terminal): Promise<number> {
  const { posthorn, store, samples, title } = stage
  const requests = samples === null || once ? null : requestsOf(terminal)
  const labels = labelsFrom(store.directory)
  let view: View | null = null
  let end: End
  posthorn.on('warning', ({ code, message }) => {
    // The key to a database that is deleted at the end needs no backup.
    if (code === 'secrets_key' && samples !== null) return
    if (view === null) terminal.say(`warning: ${message}`)
    else view.note(`warning: ${message}`)
  })
  try {
    await posthorn.start()
    const parts = { terminal, posthorn, directory: store.directory, labels, title, hint: requests?.hint ?? 'Ctrl-C ends' }
    view = terminal.output.isTTY ? screenView(parts) : lineView(parts)
    end = await watch(stage, view, requests, once, terminal.interrupted)
    if (end === 'interrupted') view.note('Stopping: attempts under way may end. Ctrl-C again leaves at once.')
  } finally {
    await posthorn.stop({ graceMs: settings.shutdownGraceMs })
  }
  return conclude(stage, view, once, end, terminal)
}

/** Says how it ended. What counts is not what was heard on the way, but what a new reader finds in the store. */
async function conclude({ store, samples }: Stage, view: View, once: boolean, end: End, terminal: Terminal): Promise<number> {
  await store.open()
  try {
    await view.close()
    const totals = await readTotals(store.directory, samples?.accepted ?? 0)
    const isOver = once && samples !== null && end !== 'interrupted'
    if (isOver) terminal.say(nextSteps)
    terminal.output.write(`${isOver ? endLine(totals) : openLine(totals)}\n`)
    if (isOver && lost(totals) !== 0) return 1
    return once && end === 'interrupted' ? 130 : 0
  } finally {
    await store.close()
  }
}
