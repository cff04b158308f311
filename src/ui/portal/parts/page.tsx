import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { href } from '../../state/router.ts'
import { now } from '../../state/now.ts'
import { exactTime, relativeTime } from '../format.ts'
import { portal, say } from '../settings.ts'

/** A page: its name (also in the tab), what can be done here, and the rest. */
export function Page({
  title,
  actions,
  children,
}: {
  title: string
  actions?: ComponentChildren
  children: ComponentChildren
}) {
  useEffect(() => {
    document.title = `${title} · ${portal.name}`
  }, [title])
  return (
    <div class="page">
      <div class="head">
        <h1>{title}</h1>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
      {children}
    </div>
  )
}

/** How long ago something was, or when it will be; the exact time is shown on hover. */
export function Time({ at }: { at: string | null }) {
  if (at === null) return <span class="muted">{say('common.never')}</span>
  return (
    <time dateTime={at} title={exactTime(at)}>
      {relativeTime(at, now.value)}
    </time>
  )
}

/** The address of a page of the portal. */
export function portalHref(to: string): string {
  return href(to === '' ? 'portal' : `portal/${to}`)
}
