import { copyFileSync, existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { navigation } from './pages.js'

const docs = fileURLToPath(new URL('../..', import.meta.url))

export default defineConfig({
  title: 'Posthorn',
  description: 'Outbound webhooks you can rely on',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: 'dist/.cache',
  cleanUrls: true,
  // Files of the project, outside of the pages, are named on the site, and linked only where the project itself is read.
  markdown: { config: (markdown) => markdown.use(unlinkFilesOutside) },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start/library' },
      { text: 'Guides', link: '/guides/outbox' },
      { text: 'Receiving', link: '/receiving/' },
      { text: 'Operating', link: '/operating/' },
      { text: 'Reference', link: '/configuration' },
    ],
    sidebar: navigation.map(({ title, pages }) => ({
      text: title,
      items: pages.map(({ path, name }) => ({ text: name, link: `/${path.replace(/(index)?\.md$/, '')}` })),
    })),
  },
  buildEnd: ({ outDir }) => copyFileSync(join(docs, 'llms.txt'), join(outDir, 'llms.txt')),
})

/** A link to what is no page of the site becomes its text. */
function unlinkFilesOutside(markdown) {
  markdown.core.ruler.push('unlink', ({ tokens, env }) => {
    for (const { children } of tokens) {
      let hidden = false
      for (const token of children ?? []) {
        if (token.type === 'link_open') hidden = !isOnSite(token.attrGet('href'), env.relativePath)
        if (hidden && (token.type === 'link_open' || token.type === 'link_close'))
          Object.assign(token, { type: 'text', tag: '', content: '', attrs: null, nesting: 0 })
      }
    }
  })
}

function isOnSite(href, page) {
  if (/^(https?:|mailto:|#)/.test(href)) return true
  const path = normalize(join(dirname(page), href.replace(/[?#].*$/, '')))
  return !path.startsWith('..') && existsSync(join(docs, path))
}
