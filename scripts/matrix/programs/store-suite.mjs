// The conformance suite of stores on the SQLite that is found here.   node store-suite.mjs
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { sqlite } from 'posthorn/sqlite'
import { storeSuite } from 'posthorn/testing/store-suite'

const failures = []
for (const { name, run } of storeSuite) {
  try {
    const file = join(mkdtempSync(join(process.cwd(), 'suite-')), 'suite.db')
    await run(async () => sqlite(file, { synchronous: 'off', plaintextSecrets: true }))
  } catch (error) {
    failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
for (const failure of failures) console.error(failure)
console.log(`store suite ${storeSuite.length - failures.length} of ${storeSuite.length}`)
process.exitCode = failures.length === 0 ? 0 : 1
