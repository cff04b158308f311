const limitMs = 60_000

/** Tries every mutant, several at a time, one after the other in each slot. First each test must pass without a defect. */
export async function runMutants({ root, mutants, slots, makeSlot, runTests, say = () => {} }) {
  const opened = Array.from({ length: slots }, () => makeSlot(root))
  try {
    const healthy = await tryTests(opened, mutants, runTests)
    const healthOf = (caughtBy) => healthy.get(keyOf(caughtBy))
    const results = []
    await inSlots(opened, mutants, async (slot, mutant) => {
      const startedAt = performance.now()
      const end = await tryMutant(slot, mutant, healthOf, runTests)
      const result = { mutant, ...end, tookMs: performance.now() - startedAt }
      results.push(result)
      say(result)
    })
    return results
  } finally {
    for (const slot of opened) slot.remove()
  }
}

/** How each test ends without a defect: those of one file together, once for all mutants that name them. */
async function tryTests(opened, mutants, runTests) {
  const ends = new Map()
  const tests = new Map(mutants.flatMap(testsOf).map((caughtBy) => [keyOf(caughtBy), caughtBy]))
  const files = new Map()
  for (const [key, caughtBy] of tests) {
    const file = caughtBy.command === undefined ? `${caughtBy.file} ${caughtBy.postgres === true}` : key
    files.set(file, [...(files.get(file) ?? []), { key, caughtBy }])
  }
  await inSlots(opened, files.values(), async (slot, group) => {
    // The minute is for catching: a whole test may take longer than one that fails half-way.
    const found = await runTests(
      slot.folder,
      group.map(({ caughtBy }) => caughtBy),
      2 * limitMs * group.length,
    )
    for (const [index, { key }] of group.entries()) ends.set(key, found[index])
  })
  return ends
}

async function tryMutant(slot, mutant, healthOf, runTests) {
  const tests = testsOf(mutant)
  const sick = tests.map(healthOf).find(({ kind }) => kind !== 'passed')
  if (sick !== undefined) return { kind: 'untried', why: `its test does not pass without it: ${sick.why}` }
  let heal
  try {
    heal = slot.plant(mutant)
  } catch (error) {
    return { kind: 'loose', why: error.message }
  }
  try {
    let last
    for (const test of tests) {
      last = await tryTest(
        slot,
        test,
        runTests,
        test === mutant.caughtBy ? 'its test passes' : `its scenario ${test.row} breaks nothing`,
      )
      if (last.kind !== 'caught') return last
    }
    return last
  } finally {
    heal()
  }
}

async function tryTest(slot, test, runTests, survived) {
  const [end] = await runTests(slot.folder, [test], limitMs)
  switch (end.kind) {
    case 'failed':
      return { kind: 'caught', why: end.why }
    case 'passed':
      return { kind: 'survived', why: survived }
    default:
      return { kind: 'broken', why: end.why }
  }
}

/** The test that a mutant names, and its kept scenario, which must break, too. */
function testsOf({ caughtBy, simulated }) {
  const scenarios =
    simulated === undefined
      ? []
      : [
          {
            file: 'test/simulation/scenarios.test.ts',
            title: 'the world of %s keeps every promise',
            row: simulated.scenario,
          },
        ]
  return [caughtBy, ...scenarios]
}

function keyOf(caughtBy) {
  return JSON.stringify(caughtBy)
}

/** Works through a list, one item at a time in each slot. */
export async function inSlots(opened, work, handle) {
  const left = [...work]
  await Promise.all(
    opened.map(async (slot) => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) await handle(slot, next)
    }),
  )
}
