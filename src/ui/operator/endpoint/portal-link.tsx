import { useState } from 'preact/hooks'
import { post, problemOf } from '../../api/call.ts'
import type { EndpointDetail } from '../../api/answers.ts'
import { notify } from '../../state/notices.ts'
import { Code } from '../../parts/code.tsx'
import { Panel } from '../../parts/page.tsx'

/** A short-lived link that opens the portal for this customer only. */
export function PortalLink({ endpoint }: { endpoint: Pick<EndpointDetail, 'applicationId' | 'applicationName'> }) {
  const [link, setLink] = useState<string | null>(null)
  async function create(): Promise<void> {
    const answer = await post<{ url: string }>(`auth/app-portal-access/${endpoint.applicationId}`)
    if (answer.kind !== 'answered') return notify('bad', problemOf(answer))
    setLink(answer.value.url)
  }
  return (
    <Panel title="Portal">
      <p class="muted">A link lets {endpoint.applicationName} see and retry their own deliveries, and nothing else.</p>
      {link === null ? (
        <button type="button" class="button small" onClick={() => void create()}>
          Create a link
        </button>
      ) : (
        <Code label="The link to the portal" text={link} />
      )}
    </Panel>
  )
}
