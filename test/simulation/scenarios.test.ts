import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { actionNames } from './actions/all.ts'
import { judgePair } from './pairs.ts'
import { runScenario } from './run.ts'
import { readScenario } from './scenario.ts'

const folder = join(import.meta.dirname, 'scenarios')

test.each(readdirSync(folder).toSorted())('the world of %s keeps every promise', async (file) => {
  const scenario = readScenario(join(folder, file), actionNames)
  const { violations } = await runScenario(scenario)
  expect(
    [...violations, ...(await judgePair(scenario))],
    `npm run simulate -- --scenario test/simulation/scenarios/${file}`,
  ).toEqual([])
})
