// Writes the pages of docs that are made from the code: npm run docs
import { writeFileSync } from 'node:fs'
import { describeSettings } from '../dist/config/describe.js'
import { settings } from '../dist/config/settings.js'
import { definitions } from '../dist/metrics/definitions.js'
import { configurationPage } from './configuration-page.js'
import { metricsPage } from './metrics-page.js'

writeFileSync(new URL('../docs/configuration.md', import.meta.url), configurationPage(settings, describeSettings([])))
writeFileSync(new URL('../docs/metrics.md', import.meta.url), metricsPage(Object.values(definitions)))
