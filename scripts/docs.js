// Writes the pages of docs that are made from the code: npm run docs
import { writeFileSync } from 'node:fs'
import { describeSettings } from '../dist/config/describe.js'
import { settings } from '../dist/config/settings.js'
import { configurationPage } from './configuration-page.js'

writeFileSync(new URL('../docs/configuration.md', import.meta.url), configurationPage(settings, describeSettings([])))
