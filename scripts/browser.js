import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Chromium: an installed one, or the one from a package. */
export async function startBrowser() {
  const args = [
    '--no-sandbox',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
  ]
  return chromium.launch({ executablePath: await unpackBrowser(), args, headless: true })
}

export async function unpackBrowser() {
  const found = installed.find((path) => existsSync(path))
  if (found !== undefined) return found
  // Makes the package unpack its own system libraries, too, which a bare machine lacks.
  process.env.AWS_EXECUTION_ENV = 'AWS_Lambda_nodejs22.x'
  const packed = (await import('@sparticuz/chromium')).default
  return packed.executablePath()
}
