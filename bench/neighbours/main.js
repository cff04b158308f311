// A healthy tenant beside a bad neighbour, in one process: at half of what it can do alone, it must hardly notice.
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { whole } from '../common.js'
import { buildAt, commitNamed } from '../against.js'
import { cases } from './cases.js'
import { createDatabase } from './database.js'
import { judge, mediansOf, missingProof } from './figures.js'
import { openStage } from './stage.js'

const ownDist = resolve('dist')
const leastOpenFiles = 8_192
const openWhenFull = 200
const mostCalibrations = 3
const large = { open: 32, bodyBytes: 1_000_000 }
const leastShareOfBefore = 0.97

export async function neighbours(given) {
  const options = readOptions(given)
  const stage = await openStage()
  try {
    const report = {
      commit: commitNamed('HEAD'),
      at: new Date().toISOString(),
      node: process.version,
      cpus: cpus().length,
      ...options,
    }
    report.capacityPerSecond = await calibrate(stage, options)
    report.ratePerSecond = report.capacityPerSecond / 2
    console.log(
      `the healthy tenant alone: ${whole(report.capacityPerSecond)}/s; measured at ${whole(report.ratePerSecond)}/s, ${options.runs} runs with and without each, medians`,
    )
    report.cases = await measureCases(stage, options, report.ratePerSecond)
    report.large = await largeBodies(stage, options)
    if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`)
    conclude(report)
  } finally {
    await stage.close()
  }
}

function readOptions({ case: number, runs, seconds, json, against }) {
  const options = {
    case: number === undefined ? null : wholeNumber('--case', number, cases.length),
    runs: wholeNumber('--runs', runs, 100),
    measureMs: wholeNumber('--seconds', seconds, 600) * 1_000,
    json,
    against: against === undefined ? null : commitNamed(against),
  }
  if (against !== undefined && options.against === null) refuse(`Expected --against to be a commit, got "${against}".`)
  const { soft } = process.report.getReport().userLimits.open_files
  if (soft !== 'unlimited' && Number(soft) < leastOpenFiles) {
    refuse(
      `Expected \`ulimit -n\` to be ${leastOpenFiles} or more, got ${soft}: each hung request is an open file on both sides. Run \`ulimit -n ${leastOpenFiles}\` first.`,
    )
  }
  return options
}

function wholeNumber(name, text, most) {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < 1 || value > most)
    refuse(`Expected ${name} to be a whole number from 1 to ${most}, got "${text}".`)
  return value
}

function refuse(sentence) {
  console.error(sentence)
  process.exit(2)
}

async function calibrate(stage, { runs: most, measureMs }) {
  const database = stage.folderFor('alone')
  await createDatabase(database, { dist: ownDist, healthyUrl: cases[0].healthyUrl(stage.at) })
  const runs = []
  for (let count = 0; count < Math.min(most, mostCalibrations); count += 1)
    runs.push(await stage.run(database, { dist: ownDist, load: { open: openWhenFull }, measureMs }))
  return mediansOf(runs).perSecond
}

async function measureCases(stage, options, perSecond) {
  const results = []
  for (const each of cases) {
    if (options.case !== null && each.number !== options.case) continue
    const result = await measureCase(stage, each, options, perSecond)
    console.log(lineOf(result))
    results.push(result)
  }
  return results
}

async function measureCase(stage, { number, name, proof, ...each }, { runs, measureMs }, perSecond) {
  const [alone, beside] = [stage.folderFor(`alone-${number}`), stage.folderFor(`beside-${number}`)]
  const healthyUrl = each.healthyUrl(stage.at)
  await createDatabase(alone, { dist: ownDist, healthyUrl })
  await createDatabase(beside, {
    dist: ownDist,
    healthyUrl,
    endpoints: each.endpoints(stage.at),
    waiting: each.waiting,
    bodyBytes: each.bodyBytes,
  })
  const common = { dist: ownDist, load: { perSecond }, needsNames: each.needsNames, measureMs }
  const neighbour = { perSecond: each.perSecond, flood: each.flood, bodyBytes: each.bodyBytes }
  const [alones, besides] = await inTurns(
    runs,
    () => stage.run(alone, common),
    () => stage.run(beside, { ...common, neighbour }),
  )
  const verdict = judge(besides, alones)
  const absent = missingProof(proof, besides)
  return { number, name, ...verdict, absent, runs: { alone: alones, beside: besides } }
}

/** One after the other, and the other first every second time: what drifts on the machine touches both alike. */
async function inTurns(runs, one, other) {
  const [ones, others] = [[], []]
  for (let count = 0; count < runs; count += 1) {
    if (count % 2 === 0) ones.push(await one())
    others.push(await other())
    if (count % 2 === 1) ones.push(await one())
  }
  return [ones, others]
}

function lineOf({ number, name, alone, beside, mostP99Ms, leastPerSecond, absent, isWithinBounds }) {
  const p99 = `p99 ${alone.p99Ms.toFixed(1)} → ${beside.p99Ms.toFixed(1)} ms (most ${mostP99Ms.toFixed(1)})`
  const throughput = `${whole(alone.perSecond)} → ${whole(beside.perSecond)}/s (least ${whole(leastPerSecond)})`
  const verdict = isWithinBounds
    ? absent === null
      ? 'within bounds'
      : `NO NEIGHBOUR SEEN, ${absent}`
    : 'OUT OF BOUNDS'
  return `${String(number).padStart(2)} ${name.padEnd(46)} ${p99.padEnd(44)} ${throughput.padEnd(34)} ${verdict}`
}

/** A tenant alone, with large bodies: what is fair to others must not cost it anything. */
async function largeBodies(stage, { against, runs, measureMs }) {
  if (against === null) {
    console.log('   1 MB bodies, a tenant alone: not compared. --against COMMIT compares with that commit.')
    return null
  }
  const before = buildAt(against)
  try {
    const healthyUrl = cases[0].healthyUrl(stage.at)
    const [then, now] = [stage.folderFor('large-then'), stage.folderFor('large-now')]
    await createDatabase(then, { dist: before.dist, healthyUrl })
    await createDatabase(now, { dist: ownDist, healthyUrl })
    const [thens, nows] = await inTurns(
      runs,
      () => stage.run(then, { dist: before.dist, load: large, measureMs }),
      () => stage.run(now, { dist: ownDist, load: large, measureMs }),
    )
    const share = mediansOf(nows).perSecond / mediansOf(thens).perSecond
    const figures = `${mediansOf(thens).perSecond.toFixed(1)} → ${mediansOf(nows).perSecond.toFixed(1)}/s`
    const isWithinBounds = share >= leastShareOfBefore
    console.log(
      `   1 MB bodies, a tenant alone: ${figures}, ${(100 * share).toFixed(1)} % of ${against.slice(0, 7)} (least 97 %), ${isWithinBounds ? 'within bounds' : 'OUT OF BOUNDS'}`,
    )
    return { against, share, isWithinBounds, runs: { before: thens, now: nows } }
  } finally {
    before.remove()
  }
}

function conclude({ cases: results, large: largeResult }) {
  const good = results.filter(({ isWithinBounds, absent }) => isWithinBounds && absent === null).length
  console.log(`${good} of ${results.length} within bounds`)
  if (good < results.length || largeResult?.isWithinBounds === false) process.exitCode = 1
}
