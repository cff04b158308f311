// `posthorn` is this checkout with the transport next to this file, and libraries of the guides are found where they are installed.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const ours = new URL('transport.js', import.meta.url).href
const project = new URL('../../../package.json', import.meta.url).href
const libraries = new URL('../libraries/package.json', import.meta.url).href

export async function resolve(specifier, context, next) {
  const found = await find(specifier, context, next)
  const isTransport = found.url.endsWith('/dist/transport/http.js') && context.parentURL !== ours
  return isTransport ? { ...found, url: ours } : found
}

async function find(specifier, context, next) {
  try {
    return await next(specifier, context)
  } catch (thrown) {
    if (/^[./]|^node:/.test(specifier)) throw thrown
    const isOurs = /^posthorn(\/|$)/.test(specifier)
    return await next(specifier, { ...context, parentURL: isOurs ? project : libraries })
  }
}

/** TypeScript as a reader's own build would compile it. */
export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context)
  const { transformWithOxc } = await import('vite')
  const file = fileURLToPath(url)
  return {
    format: 'module',
    source: (await transformWithOxc(await readFile(file, 'utf8'), file)).code,
    shortCircuit: true,
  }
}
