// The pages of docs as VitePress needs them: below its own package, where they find what it is made of.
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const docs = fileURLToPath(new URL('..', import.meta.url))
const pages = fileURLToPath(new URL('pages', import.meta.url))

rmSync(pages, { recursive: true, force: true })
for (const name of readdirSync(docs))
  if (name !== 'site') cpSync(`${docs}/${name}`, `${pages}/${name}`, { recursive: true })
