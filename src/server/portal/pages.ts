import { hash } from 'node:crypto'
import { guards, htmlAt } from '../http/dashboard-files.ts'
import { refusal } from '../errors/error-response.ts'
import type { Brand } from './brand.ts'
import type { Logo } from './logo.ts'

/** Answers a path of the portal. */
type Portal = (path: string) => Promise<Response>

/** Whether a path below the mount belongs to the portal. Its links lead to `/login`. */
export function isPortalPath(path: string): boolean {
  return path === '/login' || path === '/portal' || path.startsWith('/portal/')
}

/** The customers' pages: one page with its name, texts and frame origins written into it; its logo; its colours. */
export function makePortal(folder: string, basePath: string, brand: Brand): Portal {
  const colours = stylesheet(brand)
  const version = hash('sha256', colours).slice(0, 16)
  const known = escaped(
    JSON.stringify({
      name: brand.name,
      logo: brand.logo === null ? null : `portal/logo?${brand.logo.version}`,
      theme: brand.theme,
      frameAncestors: brand.frameAncestors,
      strings: brand.strings,
    }),
  )
  return async (path) => {
    if (path === '/portal/logo') return picture(brand.logo)
    if (path === '/portal/colours.css') return css(colours)
    return htmlAt(folder, '/portal.html', basePath, {
      guards: guardsFor(brand.frameAncestors),
      fill: (html) =>
        html
          .replace('data-theme="system"', `data-theme="${brand.theme}"`)
          .replace('portal/colours.css', `portal/colours.css?${version}`)
          // A function, because `$&` in a name is not a pattern.
          .replace('{"portal":"settings"}', () => known),
    })
  }
}

/** The same as for the operators' pages, except for the origins that can show it in a frame. */
function guardsFor(frameAncestors: readonly string[]): Readonly<Record<string, string>> {
  const policy = guards['content-security-policy']
  if (frameAncestors.length === 0) return guards
  return {
    ...guards,
    'content-security-policy': policy.replace("frame-ancestors 'none'", `frame-ancestors ${frameAncestors.join(' ')}`),
  }
}

/** JSON inside a page: nothing in it can end the surrounding element. */
function escaped(json: string): string {
  return json.replaceAll('<', '\\u003c')
}

function stylesheet({ accents }: Brand): string {
  if (accents === null) return ''
  const { light, dark } = accents
  // Twice, so that it overrides the tokens in whichever order the page loads them.
  return `:root:root {
  --accent: light-dark(${light.color}, ${dark.color});
  --accent-wash: light-dark(${light.wash}, ${dark.wash});
  --on-accent: light-dark(#ffffff, #0b0f14);
}
`
}

const forEver = 'public, max-age=31536000, immutable'

function css(text: string): Response {
  return new Response(text, {
    headers: { ...guards, 'content-type': 'text/css; charset=utf-8', 'cache-control': forEver },
  })
}

function picture(logo: Logo | null): Response {
  if (logo === null) return refusal(404, 'not_found', 'Expected a logo, got none. Set POSTHORN_PORTAL_LOGO.')
  return new Response(logo.bytes, {
    headers: {
      ...guards,
      // Opened on its own, an SVG must not run scripts.
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'content-type': logo.type,
      'cache-control': forEver,
    },
  })
}
