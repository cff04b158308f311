import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

/** A page: its name (also in the tab), what can be done here, and the rest. */
export function Page({
  title,
  above,
  actions,
  children,
}: {
  title: string
  above?: ComponentChildren
  actions?: ComponentChildren
  children: ComponentChildren
}) {
  useEffect(() => {
    document.title = `${title} · Posthorn`
  }, [title])
  return (
    <div class="page">
      <div class="head">
        <div>
          {above !== undefined && <p class="above">{above}</p>}
          <h1>{title}</h1>
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
      {children}
    </div>
  )
}

export function Panel({
  title,
  actions,
  children,
}: {
  title: string
  actions?: ComponentChildren
  children: ComponentChildren
}) {
  return (
    <section class="panel">
      <div class="head">
        <h2>{title}</h2>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
      {children}
    </section>
  )
}

/** Names and values, one under the other. */
export function Details({ details }: { details: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="details">
      {details.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
