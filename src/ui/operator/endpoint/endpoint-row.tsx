import type { ComponentChildren } from 'preact'
import type { Endpoint } from '../../api/answers.ts'
import { count } from '../../text/format.ts'
import { href } from '../../state/router.ts'
import { Health } from '../../parts/status.tsx'
import { Url } from '../../parts/url.tsx'
import { StatusSentence } from './endpoint-status.tsx'

interface EndpointRowProps {
  endpoint: Omit<Endpoint, 'hours'>
  /** Where all endpoints are of one application, its name is left out, and so is the sentence on a healthy one. */
  ofOneApplication?: boolean
  children: ComponentChildren
}

/** An endpoint in a table: health, URL with the reason, further columns of the table, backlog. On a phone the health is above the URL. */
export function EndpointRow({ endpoint, ofOneApplication = false, children }: EndpointRowProps) {
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
        {(!ofOneApplication || endpoint.health.state !== 'healthy') && (
          <div class="under whole">
            {!ofOneApplication && `${endpoint.applicationName}: `}
            <StatusSentence endpoint={endpoint} />
          </div>
        )}
      </td>
      {children}
      <td class={endpoint.backlog === 0 ? 'number muted' : 'number'}>
        {count(endpoint.backlog, endpoint.backlogAtLeast)}
      </td>
    </tr>
  )
}
