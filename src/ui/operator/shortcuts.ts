import { signal } from '@preact/signals'
import { go } from '../state/router.ts'

/** Pages by the letter that follows `g`. */
export const pages: readonly {
  readonly key: string
  readonly path: string
  readonly name: string
}[] = [
  { key: 'o', path: '', name: 'Overview' },
  { key: 'm', path: 'messages', name: 'Messages' },
  { key: 'd', path: 'deliveries', name: 'Deliveries' },
  { key: 'x', path: 'dead-letters', name: 'Dead letters' },
  { key: 'c', path: 'applications', name: 'Applications' },
  { key: 'e', path: 'endpoints', name: 'Endpoints' },
  { key: 'j', path: 'jobs', name: 'Jobs' },
  { key: 'l', path: 'tail', name: 'Live tail' },
  { key: 't', path: 'event-types', name: 'Event types' },
  { key: 'a', path: 'audit', name: 'Audit' },
  { key: 's', path: 'settings', name: 'Settings' },
]

/** The keys that open the palette, as they are written on the keyboard. */
export const paletteKey = /^Mac|^iP/.test(navigator.platform) ? '⌘ K' : 'Ctrl K'

export const shortcutsAreOpen = signal(false)
/** Which opening of the palette is shown: closing one must not close the next. */
export const openedPalette = signal<number | null>(null)
let openings = 0

let isAfterG = false

/** The shortcuts of the whole page. Elements are marked with `data-key`, `data-search` and `data-row`. */
export function pressed(event: KeyboardEvent): void {
  const isModal = document.querySelector('dialog[open]') !== null
  if (isPaletteKey(event)) {
    event.preventDefault()
    if (!isModal) openPalette()
  } else if (isTyping(event.target)) leaveField(event)
  else if (!isModal && !event.metaKey && !event.ctrlKey && !event.altKey) pressedOnPage(event)
}

function leaveField({ key, target }: KeyboardEvent): void {
  if (key === 'Escape' && target instanceof HTMLElement && target.closest('dialog') === null) target.blur()
}

function pressedOnPage(event: KeyboardEvent): void {
  const afterG = isAfterG
  isAfterG = event.key === 'g'
  if (act(event.key, afterG)) event.preventDefault()
}

/** False if the key does nothing. */
function act(key: string, afterG: boolean): boolean {
  if (!afterG) return actions.get(key)?.() ?? false
  const page = pages.find((each) => each.key === key)
  if (page !== undefined) go(page.path)
  return page !== undefined
}

const actions: ReadonlyMap<string, () => boolean> = new Map([
  ['?', openShortcuts],
  ['/', openPalette],
  ['f', () => focus(document.querySelector<HTMLElement>('[data-search]'))],
  ['j', () => step(1)],
  ['k', () => step(-1)],
  ['x', () => click(currentRow()?.querySelector<HTMLElement>('input[type=checkbox]'))],
  // On a link or a button the browser handles the key.
  ['Enter', () => document.activeElement === currentRow() && click(currentRow()?.querySelector<HTMLElement>('a'))],
  [
    'r',
    () =>
      click(
        (currentRow() ?? document).querySelector<HTMLElement>('[data-key=r]') ??
          document.querySelector<HTMLElement>('[data-key=r]'),
      ),
  ],
])

/** ⌘K on a Mac, Ctrl+K elsewhere: also while typing. */
function isPaletteKey({ key, metaKey, ctrlKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (metaKey || ctrlKey) && !altKey && !shiftKey
}

export function openPalette(): true {
  openings += 1
  openedPalette.value = openings
  return true
}

function openShortcuts(): boolean {
  shortcutsAreOpen.value = true
  return true
}

/** To the next or previous row, from wherever the focus is. */
function step(by: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')]
  const current = rows.findIndex((row) => row === currentRow())
  return focus(rows[current === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, current + by))])
}

function currentRow(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>('[data-row]') ?? null
}

function focus(element: HTMLElement | null | undefined): boolean {
  element?.focus()
  return element !== null && element !== undefined
}

function click(element: HTMLElement | null | undefined): boolean {
  element?.click()
  return element !== null && element !== undefined
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.matches('input:not([type=checkbox]):not([type=radio]), textarea, select') &&
    // The field of a dialog that was just closed keeps the focus until the next frame: keys pressed meanwhile are meant for the page.
    target.closest('dialog:not([open])') === null
  )
}
