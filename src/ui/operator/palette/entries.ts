import type { Found } from '../../api/answers.ts'
import { notify } from '../../state/notices.ts'
import { go } from '../../state/router.ts'
import { canWrite, session } from '../../state/session.ts'
import { theme } from '../../state/theme.ts'
import { shortUrl } from '../../text/format.ts'
import { bulk } from '../delivery/actions.ts'
import { copyText } from '../../parts/code.tsx'
import { pages, shortcutsAreOpen } from '../shortcuts.ts'
import { signOut } from '../sign-out.ts'

/** Something to go to or to do. */
export interface Entry {
  readonly key: string
  readonly group: string
  readonly label: string
  readonly detail?: string
  /** The shortcut that does the same. */
  readonly shortcut?: string
  readonly run: () => void
}

/** Entries that need no server: pages and actions that contain all of the words. */
export function localEntries(text: string, actionsOfPage: readonly HTMLButtonElement[]): Entry[] {
  const words = text.toLowerCase().split(/\s+/)
  return [...ofPage(actionsOfPage), ...pageEntries(), ...actionEntries(), ...jobEntries(text)].filter(
    ({ label, group, key }) => words.every((word) => `${label} ${group} ${key}`.toLowerCase().includes(word)),
  )
}

/** The actions of the open page: its buttons. */
function ofPage(buttons: readonly HTMLButtonElement[]): Entry[] {
  return buttons.map((button) => {
    const label = button.textContent?.trim() ?? ''
    return { key: `here ${label}`, group: 'On this page', label, run: () => button.click() }
  })
}

function pageEntries(): Entry[] {
  return pages.map(({ key, path, name }) => ({
    key: `page ${path}`,
    group: 'Pages',
    label: name,
    shortcut: `g ${key}`,
    run: () => go(path),
  }))
}

function actionEntries(): Entry[] {
  const isDark = theme.value === 'dark'
  return [
    ...(canWrite() ? [action('Retry all dead letters …', () => void bulk('requeue', [{ status: 'dead' }]))] : []),
    action('Copy the link to this view', () => void copyLink()),
    action(
      isDark ? 'Switch to the light theme' : 'Switch to the dark theme',
      () => (theme.value = isDark ? 'light' : 'dark'),
    ),
    ...(theme.value === 'system' ? [] : [action('Use the theme of the system', () => (theme.value = 'system'))]),
    action('Keyboard shortcuts', () => (shortcutsAreOpen.value = true), '?'),
    ...(session.value?.dev === true ? [] : [action('Sign out', () => void signOut())]),
  ]
}

function action(label: string, run: () => void, shortcut?: string): Entry {
  return { key: `action ${label}`, group: 'Actions', label, run, ...(shortcut === undefined ? {} : { shortcut }) }
}

/** Jobs are few, and searched for by their complete id only. */
function jobEntries(text: string): Entry[] {
  const id = /^job_[0-9a-z]{19}$/.exec(text.trim())?.[0]
  return id === undefined ? [] : [{ key: id, group: 'Jobs', label: id, run: () => go(`jobs/${id}`) }]
}

async function copyLink(): Promise<void> {
  if (await copyText(window.location.href)) notify('good', 'Copied. Filters and ranges are part of the link.')
  else notify('bad', 'The browser did not allow copying. The link is in the address bar.')
}

const groups: Readonly<Record<Found['kind'], string>> = {
  application: 'Applications',
  endpoint: 'Endpoints',
  'event-type': 'Event types',
  message: 'Messages',
  delivery: 'Deliveries',
}

export function foundEntry(found: Found): Entry {
  const { kind, id, uid, name, url, applicationName } = found
  const isEndpoint = kind === 'endpoint'
  const label = isEndpoint ? shortUrl(url ?? id) : name === '' ? (uid ?? id) : name
  const details =
    kind === 'event-type' ? [] : [isEndpoint ? applicationName : kind === 'delivery' ? shortUrl(url ?? '') : uid, id]
  return {
    key: `${kind} ${id}`,
    group: groups[kind],
    label,
    detail: details.filter((part) => part !== null && part !== '').join(' · '),
    run: () => go(pageOf(found)),
  }
}

/** The page of a result; if it has none, the list of what belongs to it. */
function pageOf({ kind, id }: Found): string {
  switch (kind) {
    case 'application':
      return has('applications') ? `applications/${id}` : `endpoints?application=${id}`
    case 'endpoint':
      return `endpoints/${id}`
    case 'event-type':
      return `event-types/${encodeURIComponent(id)}`
    case 'message':
      return has('messages') ? `messages/${id}` : `deliveries?message=${id}`
    case 'delivery':
      return `deliveries/${id}`
  }
}

function has(path: string): boolean {
  return pages.some((page) => page.path === path)
}

/** A further place to search: the payloads. */
export function elsewhere(text: string): Entry[] {
  const query = encodeURIComponent(text.trim())
  if (query === '') return []
  return [
    {
      key: 'payloads',
      group: 'Search',
      label: `Deliveries with “${text.trim()}” in the payload`,
      run: () => go(`deliveries?text=${query}`),
    },
  ]
}
