// This tree and another commit in turns, each run in a process of its own: what a change costs, on a machine whose speed drifts meanwhile.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { buildAt, commitNamed } from './against.js'
import { percentile, print, startReceiver, whole } from './common.js'

export async function inTurns({ against, runs }) {
  const commit = commitNamed(against)
  if (commit === null) {
    console.error(`Expected --against to be a commit, got "${against}".`)
    process.exit(2)
  }
  const before = buildAt(commit)
  const receiver = await startReceiver()
  try {
    const dists = { before: before.dist, now: resolve('dist') }
    const measured = { before: [], now: [] }
    for (let run = 0; run < Number(runs); run += 1)
      for (const name of run % 2 === 0 ? ['before', 'now'] : ['now', 'before'])
        measured[name].push(await runOf(dists[name], receiver))
    compare(measured, commit)
  } finally {
    receiver.stop()
    before.remove()
  }
}

async function runOf(dist, { port }) {
  const child = fork(new URL('./turn.js', import.meta.url), [dist, String(port)])
  const [result] = await Promise.race([once(child, 'message'), once(child, 'exit').then(endedEarly)])
  await once(child, 'exit')
  return result
}

function endedEarly([code]) {
  throw new Error(`Expected a run to report its figures, but it ended with ${code}.`)
}

function compare(measured, commit) {
  const short = commit.slice(0, 7)
  printPair('CPU per delivery', 'µs', short, [measured.before, measured.now].map(valuesOf('cpuUs')))
  printPair('deliveries per second', '/s', short, [measured.before, measured.now].map(valuesOf('perSecond')))
}

function valuesOf(figure) {
  return (runs) => runs.map((run) => run[figure])
}

function printPair(name, unit, short, [before, now]) {
  const [then, here] = [percentile(before, 0.5), percentile(now, 0.5)]
  print(`${name}, ${short}`, `${whole(then)} ${unit}`, before.map(whole).join(' '))
  print(`${name}, this tree`, `${whole(here)} ${unit}`, now.map(whole).join(' '))
  const change = 100 * (here / then - 1)
  print('  change', `${change > 0 ? '+' : ''}${change.toFixed(1)} %`, `medians of ${before.length} runs each, in turns`)
}
