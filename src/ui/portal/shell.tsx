import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { remove } from '../api/call.ts'
import { Icon } from '../parts/icons.tsx'
import { connectionLost } from '../state/connection.ts'
import { dismiss, notices } from '../state/notices.ts'
import { path } from '../state/router.ts'
import { session } from '../state/session.ts'
import { isFramed } from './frame.ts'
import { portalHref } from './parts/page.tsx'
import { portal, say } from './settings.ts'
import { Prose } from '../parts/time.tsx'

const pages = ['endpoints', 'messages', 'events', 'test', 'logs'] as const

/** The frame of every page: the sender's name, navigation, notices. */
export function Shell({ children }: { children: ComponentChildren }) {
  const main = useRef<HTMLElement>(null)
  const page = path.value
  const wasHere = useRef(page)
  useLayoutEffect(() => {
    // A new page starts at its beginning, for screen readers, too.
    if (wasHere.current !== page) main.current?.focus({ preventScroll: true })
    wasHere.current = page
  }, [page])
  return (
    <div class="portal">
      <button type="button" class="skip button primary" onClick={() => main.current?.focus()}>
        {say('nav.skip')}
      </button>
      <header class="top">
        {/* An embedding page shows its own name. */}
        {!isFramed && <Brand />}
        <Navigation />
        {!isFramed && (
          <button type="button" class="button quiet small" onClick={() => void signOut()}>
            {say('nav.sign_out')}
          </button>
        )}
      </header>
      <div role="status">{connectionLost.value && <p class="banner">{say('common.offline')}</p>}</div>
      <main ref={main} tabIndex={-1}>
        {children}
      </main>
      <Notices />
    </div>
  )
}

export function Brand() {
  return (
    <p class="brand">
      {portal.logo !== null && <img class="brand-logo" src={portal.logo} alt="" />}
      {portal.name}
    </p>
  )
}

function Navigation() {
  const [, current = ''] = path.value.split('/')
  return (
    <nav aria-label={say('nav.label')}>
      <ul>
        {pages.map((page) => (
          <li key={page}>
            <a href={portalHref(page)} aria-current={(current || 'endpoints') === page ? 'page' : undefined}>
              {say(`nav.${page}`)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Notices() {
  return (
    <div class="notices" role="status">
      {notices.value.map(({ id, tone, text }) => (
        <div key={id} class={`notice ${tone}`}>
          <Icon name={tone === 'good' ? 'check' : 'cross'} />
          <p>
            <Prose text={text} />
          </p>
          <button type="button" class="bare" aria-label={say('common.dismiss')} onClick={() => dismiss(id)}>
            <Icon name="cross" />
          </button>
        </div>
      ))}
    </div>
  )
}

async function signOut(): Promise<void> {
  await remove('session')
  session.value = null
}
