import type { navigation } from '../../docs/site/.vitepress/pages.js'

export function llmsText(given: typeof navigation): string
