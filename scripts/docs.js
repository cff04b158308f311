// Writes the pages of docs that are generated from the code: npm run docs
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { sections } from '../dist/cli/command-table.js'
import { overviewHelp } from '../dist/cli/overview-help.js'
import { describeSettings } from '../dist/config/describe.js'
import { settings } from '../dist/config/settings.js'
import { definitions } from '../dist/metrics/definitions.js'
import { openApi } from '../dist/server/openapi/document.js'
import { operations } from '../dist/server/operations.js'
import { navigation } from '../docs/site/.vitepress/pages.js'
import { configurationPage } from './configuration-page.js'
import { metricsPage } from './metrics-page.js'
import { llmsText } from './reference/llms-text.js'
import { referencePages } from './reference/pages.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const reference = referencePages({ root, sections, overview: overviewHelp(), document: openApi(operations, '') })

write('configuration.md', configurationPage(settings, describeSettings([])))
write('metrics.md', metricsPage(Object.values(definitions)))
write('llms.txt', llmsText(navigation))
for (const [name, text] of Object.entries(reference)) write(`reference/${name}`, text)

function write(name, text) {
  writeFileSync(new URL(`../docs/${name}`, import.meta.url), text)
}
