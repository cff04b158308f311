import type { Browser } from 'playwright-core'

export function startBrowser(): Promise<Browser>

/** Where Chromium is; unpacked on the first call on a machine, which nothing else may do at the same time. */
export function unpackBrowser(): Promise<string>
