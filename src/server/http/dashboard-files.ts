import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { refusal } from '../errors/error-response.ts'

/** Answers a path below the mount with a file of the dashboard, or with its page. */
type Dashboard = (path: string) => Promise<Response>

/** The build's output folder, at the same relative place from the sources and from the built files. */
export const builtDashboard = fileURLToPath(new URL('../../../dist/ui/', import.meta.url))

// The first part of each page's path: an unknown path must not look like a page. What follows is up to the page.
const pages = new Set([
  '',
  'applications',
  'audit',
  'dead-letters',
  'deliveries',
  'endpoints',
  'event-types',
  'jobs',
  'login',
  'messages',
  'portal',
  'settings',
  'tail',
])
// Names that contain a hash: a file with such a name never changes.
const hashed = /^\/assets\/[\w.-]+$/
const single = /^\/[\w-]+\.(svg|png|ico|txt|webmanifest)$/
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}
/** The browser restrictions of all our pages. */
export const guards = {
  'content-security-policy':
    "default-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** Whether a path below the mount belongs to the dashboard: one of its pages, or a file. */
export function isPage(path: string): boolean {
  const [, page = ''] = path.split('/')
  return hashed.test(path) || single.test(path) || pages.has(page)
}

/** The operators' pages, from the folder that the build has filled. Any path that is not a file is a page, which does its own routing. */
export function makeDashboard(folder: string, basePath: string): Dashboard {
  return async (path) => {
    if (hashed.test(path)) return file(folder, path, 'public, max-age=31536000, immutable')
    if (single.test(path)) return file(folder, path, 'public, max-age=3600')
    return htmlAt(folder, '/index.html', basePath)
  }
}

interface Filling {
  readonly guards: Readonly<Record<string, string>>
  readonly fill: (html: string) => string
}

/** A built page, with its base path written into it. */
export async function htmlAt(
  folder: string,
  path: string,
  basePath: string,
  { guards: own, fill }: Filling = { guards, fill: (html) => html },
): Promise<Response> {
  const page = await read(folder, path)
  if (page === null) return plainText(503, notBuilt)
  const html = page.toString().replace(/<base href="[^"]*" ?\/?>/, `<base href="${basePath}/" />`)
  return new Response(fill(html), {
    headers: { ...own, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
  })
}

const notBuilt =
  'The dashboard is not built. Build it with: npm run build\nThe HTTP API answers below /api/v1, and describes itself at /api/v1/openapi.json.\n'

async function file(folder: string, path: string, caching: string): Promise<Response> {
  const bytes = await read(folder, path)
  if (bytes === null) return refusal(404, 'not_found', `Expected a file of the dashboard, got ${path}.`)
  const type = types[extname(path)] ?? 'application/octet-stream'
  return new Response(new Uint8Array(bytes), { headers: { ...guards, 'content-type': type, 'cache-control': caching } })
}

/** Null if there is none. The path has the form of one of our names: it cannot leave the folder. */
async function read(folder: string, path: string): Promise<Buffer | null> {
  try {
    return await readFile(`${folder.replace(/\/$/, '')}${path}`)
  } catch {
    return null
  }
}

function plainText(status: number, text: string): Response {
  return new Response(text, { status, headers: { ...guards, 'content-type': 'text/plain; charset=utf-8' } })
}
