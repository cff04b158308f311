import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { axeFaults } from './axe.ts'
import type { Server } from './server.ts'
import { useStage } from './stage.ts'

const stage = useStage()
const limit = { timeout: 60_000 }
const snippet = readFileSync(new URL('../../examples/portal.html', import.meta.url), 'utf8')

async function linkTo(server: Server): Promise<{ url: string; token: string }> {
  return server.call('POST', 'auth/app-portal-access/acme', {})
}

async function withEndpoint(server: Server): Promise<void> {
  await server.call('POST', 'app', { name: 'Acme', uid: 'acme' })
  await server.call('POST', 'app/acme/endpoint', { url: 'http://127.0.0.1:9/hooks' })
}

/** Somebody else's page on an origin of its own, with the snippet of the documentation in it. */
async function foreignPage(linkOf: () => Promise<{ url: string }>): Promise<{ origin: string; close: () => void }> {
  const pages = createServer((request, response) => {
    if (request.url !== '/webhooks-link')
      return void response
        .setHeader('content-type', 'text/html')
        .end(`<!doctype html><title>Shop</title><h1>Shop</h1>${snippet}`)
    return void linkOf().then((link) => response.end(JSON.stringify(link)))
  })
  pages.listen(0, '127.0.0.1')
  await once(pages, 'listening')
  const { port } = pages.address() as AddressInfo
  // Another site than 127.0.0.1 for the browser, and still this machine.
  return { origin: `http://localhost:${port}`, close: () => pages.close() }
}

async function open(origin: string): Promise<{ page: Page; complaints: string[]; close: () => Promise<void> }> {
  const context = await stage.browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  await page.goto(origin)
  return { page, complaints, close: () => context.close() }
}

describe('in a page of another origin', () => {
  let server: Server
  let refusing: Server
  let shop: { origin: string; close: () => void }
  let stranger: { origin: string; close: () => void }

  beforeAll(async () => {
    shop = await foreignPage(() => linkTo(server))
    stranger = await foreignPage(() => linkTo(refusing))
    const environment = { POSTHORN_PORTAL_FRAME_ANCESTORS: `https://other.example,${shop.origin}` }
    server = await stage.serve({ delivers: false, environment })
    refusing = await stage.serve({ delivers: false })
    for (const each of [server, refusing]) await withEndpoint(each)
    return () => {
      shop.close()
      stranger.close()
    }
  }, 60_000)

  test('it works with its key in memory, without a cookie, and is as high as what it shows', limit, async () => {
    const { page, complaints, close } = await open(shop.origin)
    const portal = page.frameLocator('#webhooks')
    await portal.getByRole('link', { name: '127.0.0.1:9/hooks' }).click()
    await portal.getByRole('button', { name: 'Reveal' }).click()
    await portal.getByText(/^whsec_/).waitFor()
    const height = (): Promise<number> =>
      page.evaluate<number>('document.getElementById("webhooks").getBoundingClientRect().height')
    await expect.poll(height).toBeGreaterThan(560)
    await portal.getByRole('link', { name: 'Messages' }).click()
    await expect.poll(height).toBe(560)
    expect(await page.context().cookies()).toEqual([])
    const frame = page.frames().find((each) => each !== page.mainFrame())
    expect(new URL(frame?.url() ?? '').hash).toBe('')
    expect(await frame?.evaluate('localStorage.length + sessionStorage.length')).toBe(0)
    expect(complaints.filter((text) => !text.includes('favicon'))).toEqual([])
    await close()
  })

  test('it is refused where no origin is named, and says nothing of its height', limit, async () => {
    const { page, complaints, close } = await open(stranger.origin)
    await expect.poll(() => complaints.join('\n')).toContain("frame-ancestors 'none'")
    expect(await page.frameLocator('#webhooks').getByRole('heading', { name: 'Endpoints' }).count()).toBe(0)
    expect(await page.evaluate('document.getElementById("webhooks").style.height')).toBe('560px')
    await close()
  })
})

describe('with a name, a logo, a colour and words of their own', () => {
  test('the portal has them, in both themes, and what cannot be used is logged', limit, async () => {
    writeFileSync(
      stage.file('logo.svg'),
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8"/></svg>',
    )
    const words = { language: 'de', 'nav.endpoints': 'Endpunkte', 'endpoints.title': 'Endpunkte', 'nav.nowhere': 'x' }
    writeFileSync(stage.file('de.json'), JSON.stringify(words))
    const server = await stage.serve({
      delivers: false,
      environment: {
        POSTHORN_PORTAL_NAME: 'Acme <Webhooks>',
        POSTHORN_PORTAL_LOGO: stage.file('logo.svg'),
        // Yellow on white: nobody can read that.
        POSTHORN_PORTAL_COLOR: '#ffdd00',
        POSTHORN_PORTAL_STRINGS: stage.file('de.json'),
      },
    })
    expect(await server.says(/colour #ffdd00 is too hard to read in the light theme/)).toContain('portal.setting')
    expect(await server.says(/no string .*nav\.nowhere/)).toContain('portal.setting')
    await withEndpoint(server)
    const { token } = await linkTo(server)
    const { page, complaints, close } = await stage.open(server, { key: token, path: 'portal' })
    expect(await page.locator('h1').textContent()).toBe('Endpunkte')
    expect(await page.getByRole('link', { name: 'Messages' }).count()).toBe(1)
    expect(await page.evaluate('document.documentElement.lang')).toBe('de')
    await page.getByText('Acme <Webhooks>').waitFor()
    expect(await page.evaluate('document.querySelector(".brand-logo").naturalWidth > 0')).toBe(true)
    const button = (): Promise<string> =>
      page.evaluate<string>('getComputedStyle(document.querySelector(".actions .button.primary")).backgroundColor')
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await button()).toBe('rgb(255, 221, 0)')
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await button()).not.toBe('rgb(255, 221, 0)')
    expect(await axeFaults(page, ['light', 'dark'])).toEqual([])
    expect(complaints).toEqual([])
    await close()
  })

  test('a theme that is set wins over that of the device, and a logo that is none leaves the name', limit, async () => {
    writeFileSync(stage.file('logo.png'), 'no image')
    const server = await stage.serve({
      delivers: false,
      environment: { POSTHORN_PORTAL_THEME: 'dark', POSTHORN_PORTAL_LOGO: stage.file('logo.png') },
    })
    expect(await server.says(/logo\.png: no image/)).toContain('The portal shows its name alone')
    await withEndpoint(server)
    const { token } = await linkTo(server)
    const { page, complaints, close } = await stage.open(server, { key: token, path: 'portal', colorScheme: 'light' })
    expect(await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')).toBe('rgb(16, 19, 22)')
    await page.getByText('Webhooks', { exact: true }).waitFor()
    expect(await page.locator('.brand-logo').count()).toBe(0)
    expect(complaints).toEqual([])
    await close()
  })
})
