import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { settings } from '../../src/config/settings.ts'
import { presets } from '../../src/core/delivery/presets.ts'
import { plannedDelays, safeDelayMs } from '../../src/core/delivery/retry-policy.ts'

const { policy, limits } = presets.standard

test('RR-4-readme the README states the retry contract in the numbers of the code', () => {
  const contract = sectionOf(readFileSync(new URL('../../README.md', import.meta.url), 'utf8'), '## The retry contract')

  const delays = plannedDelays(policy).map((ms) => ms / 1_000)
  expect(tableOf(contract, 'attempt')).toEqual([
    ['1', 'at once', '0 min'],
    ...delays.map((delay, index) => [String(index + 2), `${delay} s`, `${sum(delays.slice(0, index + 1)) / 60} min`]),
  ])
  expect(contract).toContain(`±${policy.jitterShare * 100} %`)
  expect(contract).toContain(`${policy.maxAttempts} sends over ${sum(delays) / 60} minutes`)
  expect(contract).toContain(`may take ${settings.timeoutMs.default / 1_000} s`)
  expect(contract).toContain(
    `at most ${limits.retriesPerEndpoint} retries per tick of ${limits.pollMs / 1_000} s and ${limits.pool} requests at once`,
  )
  expect(contract).toMatch(new RegExp(`under ${safeDelayMs / 1_000} s does not start`))

  const { timeoutMs, maxRetries, retriesPerEndpoint, pool } = settings
  expect(tableOf(contract, 'environment').map(([name, value]) => [name, value])).toEqual([
    [`\`${timeoutMs.env[0]}\``, String(timeoutMs.default / 1_000)],
    [`\`${maxRetries.env[0]}\``, String(maxRetries.default)],
    [`\`${retriesPerEndpoint.env[0]}\``, String(retriesPerEndpoint.default)],
    [`\`${pool.env[0]}\``, String(pool.default)],
  ])
  // The settings' defaults are written a second time in the preset: the README must not have to choose.
  expect([maxRetries.default, retriesPerEndpoint.default, pool.default]).toEqual([
    policy.maxAttempts - 1,
    limits.retriesPerEndpoint,
    limits.pool,
  ])
})

/** A section up to the next heading of its rank, as one line per paragraph: where a sentence is broken does not matter. */
function sectionOf(text: string, heading: string): string {
  const [, rest = ''] = `\n${text}`.split(`\n${heading}\n`)
  const [section = ''] = rest.split('\n## ')
  return section.replaceAll(/(?<=[^\n|])\n(?=[^\n|])/g, ' ')
}

/** The rows of the table whose head begins with a word, cell by cell. */
function tableOf(section: string, head: string): string[][] {
  const [, rest = ''] = section.split(new RegExp(`^\\| ${head} .*\\n\\|[-|]+\\n`, 'm'))
  const rows = rest.split('\n\n')[0] ?? ''
  return rows
    .trim()
    .split('\n')
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
