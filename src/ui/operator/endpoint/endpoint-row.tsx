import type { ComponentChildren } from 'preact'
import type { Endpoint } from '../../api/answers.ts'
import { count, shortUrl } from '../../text/format.ts'
import { href } from '../../state/router.ts'
import { isPortal } from '../../state/session.ts'
import { Health } from '../../parts/status.tsx'
import { Prose } from '../../parts/time.tsx'

/** An endpoint in a table: health, where and why, what the table adds, backlog. On a phone the health stands above the address. */
export function EndpointRow({
  endpoint,
  children,
}: {
  endpoint: Omit<Endpoint, 'hours'>
  children: ComponentChildren
}) {
  return (
    <tr data-row tabIndex={-1}>
      <td class="wide">
        <Health endpoint={endpoint} />
      </td>
      <td class="main">
        <div class="narrow">
          <Health endpoint={endpoint} />
        </div>
        <a href={href(`endpoints/${endpoint.id}`)}>{shortUrl(endpoint.url)}</a>
        <div class="under whole">
          {isPortal() ? '' : `${endpoint.applicationName}: `}
          <Prose text={endpoint.health.sentence} />
        </div>
      </td>
      {children}
      <td class="number">{count(endpoint.backlog, endpoint.backlogAtLeast)}</td>
    </tr>
  )
}
