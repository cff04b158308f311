import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { openPalette, pages, paletteKey, shortcutsAreOpen } from './shortcuts.ts'
import { signOut } from './sign-out.ts'
import { href, path } from '../state/router.ts'
import { connectionLost } from '../state/connection.ts'
import { dismiss, notices } from '../state/notices.ts'
import { session } from '../state/session.ts'
import { theme } from '../state/theme.ts'
import type { Theme } from '../state/theme.ts'
import { Icon, Logo } from '../parts/icons.tsx'
import { Prose } from '../parts/time.tsx'

/** The frame of every page: navigation, session, notices. */
export function Shell({ children }: { children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false)
  const main = useRef<HTMLElement>(null)
  const page = path.value
  const wasHere = useRef(page)
  // Before anybody can type: a field must not lose the focus.
  useLayoutEffect(() => {
    setOpen(false)
    // A new page starts at its beginning, for screen readers, too.
    if (wasHere.current !== page) main.current?.focus({ preventScroll: true })
    wasHere.current = page
  }, [page])
  return (
    <div class="shell">
      <button type="button" class="skip button primary" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <header class="side">
        <a class="brand" href={href('')}>
          <Logo />
          Posthorn
          {session.value?.dev === true && <span class="tag">dev</span>}
        </a>
        <button type="button" class="button find" aria-keyshortcuts="Control+K Meta+K" onClick={openPalette}>
          <Icon name="search" />
          <span>Search</span>
          <kbd aria-hidden="true">{paletteKey}</kbd>
        </button>
        <button
          type="button"
          class="button quiet menu"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="menu" />
          Menu
        </button>
        <div id="navigation" class={isOpen ? 'open' : undefined}>
          <Navigation />
          <Caller />
        </div>
      </header>
      <main ref={main} tabIndex={-1}>
        <Banner />
        {children}
      </main>
      <Notices />
    </div>
  )
}

function Navigation() {
  const current = path.value.split('/', 1)[0]
  return (
    <nav aria-label="Pages">
      <ul>
        {pages.map((page) => (
          <li key={page.path}>
            <a href={href(page.path)} aria-current={page.path === current ? 'page' : undefined}>
              {page.name}
              <kbd aria-hidden="true">g {page.key}</kbd>
            </a>
          </li>
        ))}
        <li>
          <a href={href('api')}>API reference</a>
        </li>
      </ul>
    </nav>
  )
}

function Caller() {
  const caller = session.value?.caller
  return (
    <div class="caller">
      <label class="field">
        <span>Theme</span>
        <select value={theme.value} onChange={(event) => (theme.value = event.currentTarget.value as Theme)}>
          <option value="system">System</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
      <p>
        <strong>{caller?.name}</strong>
        <br />
        <span class="muted">{caller?.access === 'write' ? 'Read and write access' : 'Read-only access'}</span>
      </p>
      <div class="actions">
        <button type="button" class="button small" onClick={() => (shortcutsAreOpen.value = true)}>
          Shortcuts <kbd aria-hidden="true">?</kbd>
        </button>
        {session.value?.dev !== true && (
          <button type="button" class="button small" onClick={() => void signOut()}>
            Sign out
          </button>
        )}
      </div>
    </div>
  )
}

function Banner() {
  return (
    <div role="status">
      {connectionLost.value && (
        <p class="banner">
          <Icon name="broken" />
          The connection to the server is lost. This is older data; the page updates by itself once the server answers.
        </p>
      )}
    </div>
  )
}

function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, tone, text, href: to }) => (
        <p key={id} class={`notice ${tone}`}>
          <Icon name={tone === 'good' ? 'check' : 'broken'} />
          <span>
            <Prose text={text} /> {to !== null && <a href={to}>Open</a>}
          </span>
          <button type="button" class="bare" aria-label="Dismiss" onClick={() => dismiss(id)}>
            <Icon name="cross" />
          </button>
        </p>
      ))}
    </div>
  )
}
