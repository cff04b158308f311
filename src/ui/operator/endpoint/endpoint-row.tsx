import type { ComponentChildren } from 'preact'
import type { Endpoint } from '../../api/answers.ts'
import { count } from '../../text/format.ts'
import { href } from '../../state/router.ts'
import { Health } from '../../parts/status.tsx'
import { Url } from '../../parts/url.tsx'
import { StatusSentence } from './endpoint-status.tsx'

/** An endpoint in a table: health, URL with the reason, further columns of the table, backlog. On a phone the health is above the URL. */
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
        <a href={href(`endpoints/${endpoint.id}`)}>
          <Url url={endpoint.url} />
        </a>
        <div class="under whole">
          {endpoint.applicationName}: <StatusSentence endpoint={endpoint} />
        </div>
      </td>
      {children}
      <td class="number">{count(endpoint.backlog, endpoint.backlogAtLeast)}</td>
    </tr>
  )
}
