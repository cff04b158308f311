const limitMs = 60_000

/** Tries every mutant, several at a time, each slot one after the other. First each test must pass without any defect. */
export async function runMutants({ root, mutants, slots, makeSlot, runTest, say = () => {} }) {
  const opened = Array.from({ length: slots }, () => makeSlot(root))
  try {
    const healthy = await tryTests(opened, mutants, runTest)
    const results = []
    await inSlots(opened, mutants, async (slot, mutant) => {
      const startedAt = performance.now()
      const end = await tryMutant(slot, mutant, healthy.get(keyOf(mutant)), runTest)
      const result = { mutant, ...end, tookMs: performance.now() - startedAt }
      results.push(result)
      say(result)
    })
    return results
  } finally {
    for (const slot of opened) slot.remove()
  }
}

/** How each test ends without a defect, once for all mutants that name it. */
async function tryTests(opened, mutants, runTest) {
  const ends = new Map()
  const first = mutants.filter((mutant, index) => mutants.findIndex((other) => keyOf(other) === keyOf(mutant)) === index)
  await inSlots(opened, first, async (slot, mutant) => void ends.set(keyOf(mutant), await runTest(slot.folder, mutant.caughtBy, limitMs)))
  return ends
}

async function tryMutant(slot, mutant, healthy, runTest) {
  if (healthy.kind !== 'passed') return { kind: 'untried', why: `its test does not pass without it: ${healthy.why}` }
  let heal
  try {
    heal = slot.plant(mutant)
  } catch (error) {
    return { kind: 'loose', why: error.message }
  }
  try {
    const end = await runTest(slot.folder, mutant.caughtBy, limitMs)
    switch (end.kind) {
      case 'failed':
        return { kind: 'caught', why: end.why }
      case 'passed':
        return { kind: 'survived', why: 'its test passes' }
      default:
        return { kind: 'broken', why: end.why }
    }
  } finally {
    heal()
  }
}

function keyOf({ caughtBy }) {
  return JSON.stringify(caughtBy)
}

async function inSlots(opened, work, handle) {
  const left = [...work]
  await Promise.all(opened.map(async (slot) => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await handle(slot, next)
  }))
}
