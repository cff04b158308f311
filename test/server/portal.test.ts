import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { handler } from 'posthorn/server'
import { settingsFromEnvironment } from '../../src/config/environment.ts'
import { portalOptions } from '../../src/cli/processes/portal.ts'
import { brandOf } from '../../src/server/portal/brand.ts'
import { accentFor, contrast, rgbOf } from '../../src/server/portal/colour.ts'
import { checkPortal } from '../../src/server/portal/options.ts'
import type { PortalOptions } from '../../src/server/portal/options.ts'
import { isPortalPath, makePortal } from '../../src/server/portal/pages.ts'
import { adminKey, serverWorld } from './world.ts'

const page =
  '<!doctype html><html data-theme="system"><base href="/" /><link href="portal/colours.css" /><script type="application/json" id="settings">{"portal":"settings"}</script>'
const strings = { 'nav.endpoints': 'Endpoints', 'nav.logs': 'Logs' }

function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-portal-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'assets'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

/** The portal with options, out of a folder with its page and more files; `{folder}` in an option is that folder. */
function portalWith(options: PortalOptions, files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const folder = folderWith({ 'portal.html': page, 'portal-strings.json': JSON.stringify(strings), ...files })
  const placed = (path: string | null | undefined): string | null => path?.replace('{folder}', folder) ?? null
  const warnings: string[] = []
  const brand = brandOf(
    checkPortal({ ...options, logo: placed(options.logo), strings: placed(options.strings) }),
    folder,
    (sentence) => warnings.push(sentence.replaceAll(folder, '')),
  )
  const portal = makePortal(folder, '/hooks', brand)
  return {
    warnings,
    ask: portal,
    async settings(): Promise<Record<string, unknown>> {
      const html = await (await portal('/portal')).text()
      return JSON.parse(/id="settings">(.*)<\/script>/.exec(html)?.[1] ?? '') as Record<string, unknown>
    },
  }
}

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])

describe('the page', () => {
  test('is the same on every path of the portal, told where it lives, and shown in no frame', async () => {
    const { ask } = portalWith({})
    for (const path of ['/login', '/portal', '/portal/logs', '/portal/endpoints/ep_1']) {
      expect(isPortalPath(path)).toBe(true)
      const response = await ask(path)
      expect(response.status).toBe(200)
      expect(await response.text()).toContain('<base href="/hooks/" />')
      expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'self';.*frame-ancestors 'none'/)
      expect(response.headers.get('cache-control')).toBe('no-cache')
    }
    for (const path of ['/', '/portals', '/logins', '/deliveries']) expect(isPortalPath(path)).toBe(false)
  })

  test('is shown in frames of the origins that are named, and of no others', async () => {
    const { ask, settings } = portalWith({ frameAncestors: ['https://app.example', 'http://localhost:3000'] })
    const policy = (await ask('/portal')).headers.get('content-security-policy')
    expect(policy).toContain('; frame-ancestors https://app.example http://localhost:3000;')
    expect(policy).not.toContain("frame-ancestors 'none'")
    expect(await settings()).toMatchObject({ frameAncestors: ['https://app.example', 'http://localhost:3000'] })
  })

  test('carries the name as data, whatever is in it', async () => {
    const name = `</script><script>alert("$&")</script>`
    const { ask, settings } = portalWith({ name, theme: 'dark' })
    expect(await settings()).toMatchObject({ name, theme: 'dark' })
    const html = await (await ask('/portal')).text()
    expect(html.match(/<script/g)).toHaveLength(1)
    expect(html).toContain('data-theme="dark"')
  })

  test('is the one that the server answers with, also below a mount, and only its pages are in frames', async () => {
    const { posthorn } = await serverWorld()
    const answer = handler(posthorn, {
      adminKey,
      basePath: '/hooks',
      portal: { frameAncestors: ['https://app.example'] },
    })
    const policyOf = async (path: string): Promise<string> =>
      (await answer(new Request(`http://posthorn.test/hooks${path}`))).headers.get('content-security-policy') ?? ''
    // A folder without a build says so under the usual policy: what matters here is who answers.
    expect(await policyOf('/')).toContain("frame-ancestors 'none'")
    expect(await policyOf('/portal/colours.css')).toContain("frame-ancestors 'none'")
    expect((await answer(new Request('http://posthorn.test/hooks/portal/colours.css'))).status).toBe(200)
    expect((await answer(new Request('http://posthorn.test/hooks/portal/logo'))).status).toBe(404)
    expect((await answer(new Request('http://posthorn.test/hooks/portal', { method: 'POST' }))).status).toBe(404)
  })
})

describe('the colour', () => {
  const lightest = { light: '#f0f2f4', dark: '#1e2328' } as const

  test('can be read in both themes, whatever was given', () => {
    for (const given of ['#1d4f91', '#ffdd00', '#ffffff', '#000000', '#777', '#e4572e', '#0f0', '#16191d'])
      for (const theme of ['light', 'dark'] as const) {
        const { color, wash } = accentFor(given, theme)
        expect(contrast(rgbOf(color), rgbOf(lightest[theme])), `${given} ${theme}`).toBeGreaterThanOrEqual(4.5)
        expect(contrast(rgbOf(color), rgbOf(wash)), `${given} ${theme} wash`).toBeGreaterThanOrEqual(4.5)
      }
  })

  test('stays as given where it can be read, and is named in a warning where not', () => {
    expect(accentFor('#1d4f91', 'light')).toMatchObject({ color: '#1d4f91', isAsGiven: true })
    expect(accentFor('#ffdd00', 'dark')).toMatchObject({ color: '#ffdd00', isAsGiven: true })
    expect(portalWith({ color: ['#1d4f91'] }).warnings).toEqual([])
    expect(portalWith({ color: ['#ffdd00'] }).warnings).toEqual([
      expect.stringMatching(
        /^The portal's colour #ffdd00 is too hard to read in the light theme .*: #[0-9a-f]{6} is used/,
      ),
    ])
    expect(portalWith({ color: ['#1d4f91', '#1d4f91'] }).warnings).toEqual([expect.stringContaining('dark theme')])
  })

  test('comes as a stylesheet, and as none where no colour was given', async () => {
    const css = await portalWith({ color: ['#1d4f91', '#8db8f5'] }).ask('/portal/colours.css')
    expect(css.headers.get('content-type')).toBe('text/css; charset=utf-8')
    expect(await css.text()).toContain('--accent: light-dark(#1d4f91, #8db8f5);')
    expect(await (await portalWith({}).ask('/portal/colours.css')).text()).toBe('')
  })
})

describe('the logo', () => {
  test.each([
    ['logo.png', png, 'image/png'],
    ['logo.jpg', new Uint8Array([0xff, 0xd8, 0xff, 0xe0]), 'image/jpeg'],
    ['logo.gif', 'GIF89a…', 'image/gif'],
    ['logo.webp', 'RIFF1234WEBPVP8 ', 'image/webp'],
    ['logo.svg', '<?xml version="1.0"?>\n<!-- ours -->\n<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
  ])('in %s is served as what it is, and runs nothing', async (name, bytes, type) => {
    const { ask, settings, warnings } = portalWith({ logo: `{folder}/${name}` }, { [name]: bytes })
    const response = await ask('/portal/logo')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    )
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await settings()).toMatchObject({ logo: expect.stringMatching(/^portal\/logo\?[0-9a-f]{16}$/) })
    expect(warnings).toEqual([])
  })

  test.each([
    ['page.png', '<html><script>alert(1)</script></html>', 'no image'],
    ['empty.png', '', 'no image'],
    ['huge.png', new Uint8Array([...png, ...new Uint8Array(300 * 1024)]), '301 KiB'],
    ['missing.png', null, 'ENOENT'],
  ])('in %s is left out, and a warning says why', async (name, bytes, why) => {
    const { ask, settings, warnings } = portalWith(
      { logo: `{folder}/${name}` },
      bytes === null ? {} : { [name]: bytes },
    )
    expect(warnings).toEqual([expect.stringMatching(new RegExp(`/${name}: .*${why}.*The portal shows its name alone`))])
    expect(await settings()).toMatchObject({ logo: null })
    expect((await ask('/portal/logo')).status).toBe(404)
  })
})

describe('a translation', () => {
  test('replaces what it names; what is unknown or no text is named, and left out', async () => {
    const words = { 'nav.endpoints': 'Endpunkte', 'nav.logs': 7, 'nav.endpoint': 'x', elsewhere: 'y' }
    const { settings, warnings } = portalWith({ strings: '{folder}/de.json' }, { 'de.json': JSON.stringify(words) })
    expect(await settings()).toMatchObject({ strings: { 'nav.endpoints': 'Endpunkte' } })
    expect(warnings).toEqual([
      'Expected "nav.logs" in /de.json to be text. The portal keeps its own.',
      expect.stringMatching(/^The portal has no string "nav.endpoint", which \/de.json gives. .*nav.endpoints/),
      'The portal has no string "elsewhere", which /de.json gives.',
    ])
  })

  test.each([
    ['no JSON', 'nav: Endpunkte'],
    ['no object', '["Endpunkte"]'],
    ['missing', null],
    ['too large', `{"nav.logs": "${'x'.repeat(300 * 1024)}"}`],
  ])('that is %s leaves the portal English, and a warning says why', async (_, text) => {
    const { settings, warnings } = portalWith({ strings: '{folder}/de.json' }, text === null ? {} : { 'de.json': text })
    expect(warnings).toEqual([expect.stringMatching(/got \/de.json: .*The portal speaks English\.$/)])
    expect(await settings()).toMatchObject({ strings: {} })
  })
})

describe('nonsense', () => {
  const given: readonly (readonly [variable: string, value: string, option: PortalOptions])[] = [
    ['POSTHORN_PORTAL_COLOR', 'blue', { color: ['blue'] }],
    ['POSTHORN_PORTAL_COLOR', '#123456,#123456,#123456', { color: ['#123', '#123', '#123'] }],
    ['POSTHORN_PORTAL_NAME', 'x'.repeat(81), { name: 'x'.repeat(81) }],
    ['POSTHORN_PORTAL_FRAME_ANCESTORS', '*', { frameAncestors: ['*'] }],
    ['POSTHORN_PORTAL_FRAME_ANCESTORS', 'https://app.example/page', { frameAncestors: ['https://app.example/page'] }],
    ['POSTHORN_PORTAL_FRAME_ANCESTORS', 'https://*.example', { frameAncestors: ['https://a;script-src'] }],
    ['POSTHORN_PORTAL_THEME', 'neon', { theme: 'neon' }],
  ]

  test.each(given)('in %s is refused by its name, and as an option by its own', async (variable, value, option) => {
    const log = { write: () => undefined, isOn: () => false, close: () => undefined }
    expect(() => portalOptions(settingsFromEnvironment({ [variable]: value }), log)).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining(variable) }),
    )
    const { posthorn } = await serverWorld()
    expect(() => handler(posthorn, { portal: option })).toThrow(/^Expected `portal\.\w+` to be/)
  })
})
