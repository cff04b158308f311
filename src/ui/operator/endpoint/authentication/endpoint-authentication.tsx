import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { patch, problemOf } from '../../../api/call.ts'
import type { EndpointDetail } from '../../../api/answers.ts'
import { ask } from '../../../parts/dialog.tsx'
import { Details, Panel } from '../../../parts/page.tsx'
import { notify } from '../../../state/notices.ts'
import { canWrite } from '../../../state/session.ts'
import { AuthenticationForm } from './authentication-form.tsx'
import { methodFields, methodNames, methodOf, valueAt } from './methods.ts'
import type { Authentication } from './methods.ts'

interface EndpointAuthenticationProps {
  readonly endpoint: EndpointDetail
  readonly refresh: () => void
}

/** How requests authenticate at the endpoint. Secrets are write-only: they are never shown again. */
export function EndpointAuthentication({ endpoint, refresh }: EndpointAuthenticationProps) {
  const [isChanging, setChanging] = useState(false)
  const { authentication } = endpoint
  return (
    <Panel title="Authentication">
      {authentication === null ? (
        <p class="muted">Nothing beyond the signature, which every request has.</p>
      ) : (
        <Details details={shownDetails(authentication)} />
      )}
      {isChanging ? (
        <AuthenticationForm
          endpoint={endpoint}
          onCancel={() => setChanging(false)}
          done={() => {
            setChanging(false)
            notify('good', 'Saved. The next attempt uses it.')
            refresh()
          }}
        />
      ) : (
        canWrite() && <Buttons endpoint={endpoint} change={() => setChanging(true)} refresh={refresh} />
      )}
    </Panel>
  )
}

function Buttons({ endpoint, change, refresh }: EndpointAuthenticationProps & { readonly change: () => void }) {
  async function remove(): Promise<void> {
    const sentence = 'From the next attempt on, requests carry the signature only. The secrets are deleted.'
    const title = 'Remove the authentication?'
    if ((await ask({ title, sentence, action: 'Remove it', isDangerous: true })) === null) return
    const answer = await patch(`app/${endpoint.applicationId}/endpoint/${endpoint.id}`, { authentication: null })
    if (answer.kind !== 'answered') return notify('bad', problemOf(answer))
    notify('good', 'Removed.')
    refresh()
  }
  const isSet = endpoint.authentication !== null
  return (
    <div class="actions">
      <button type="button" class="button small" onClick={change}>
        {isSet ? 'Change' : 'Set up authentication'}
      </button>
      {isSet && (
        <button type="button" class="button small danger" onClick={() => void remove()}>
          Remove …
        </button>
      )}
    </div>
  )
}

const masked = '••••••'

function shownDetails(authentication: Authentication): [string, ComponentChildren][] {
  const method = methodOf(authentication)
  const fields = methodFields[method]
    .map(({ name, label, isSecret }): [string, string] => [
      label,
      isSecret === true ? masked : valueAt(authentication, name),
    ])
    .filter(([, value]) => value !== '')
  return [
    ['Method', methodNames[method]],
    ...fields,
    ...certificates(valueAt(authentication, 'clientCertificate.certificate'), 'Client certificate'),
    ...certificates(valueAt(authentication, 'ca'), 'Extra authority'),
  ]
}

/** Certificates are public; the beginning is enough to distinguish them. */
function certificates(pem: string, label: string): [string, ComponentChildren][] {
  if (pem === '') return []
  const body = pem.replaceAll(/-----[^-]+-----|\s/g, '')
  return [[label, <code>{`${body.slice(0, 8)}…${body.slice(-12)}`}</code>]]
}
