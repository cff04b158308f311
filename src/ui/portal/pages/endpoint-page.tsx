import { useState } from 'preact/hooks'
import type { EndpointDetail } from '../../api/answers.ts'
import { patch, post, remove } from '../../api/call.ts'
import { go } from '../../state/router.ts'
import { notify } from '../../state/notices.ts'
import { canWrite } from '../../state/session.ts'
import { Url } from '../../parts/url.tsx'
import { useLoad } from '../../state/use-load.ts'
import { act, own } from '../api.ts'
import { exactTime, shortUrl } from '../format.ts'
import { Show } from '../parts/loaded.tsx'
import { Page, Time, portalHref } from '../parts/page.tsx'
import { ask } from '../parts/question.tsx'
import { EndpointStatus, standingOf } from '../parts/status.tsx'
import { say } from '../settings.ts'
import { EndpointForm } from './endpoint-form.tsx'
import { EndpointSecret } from './endpoint-secret.tsx'
import { RecentAttempts } from './attempt-table.tsx'
import { Verification } from './verification.tsx'

const refreshMs = 10_000

/** One endpoint: its status, its settings, its secret, and its latest attempts. */
export function EndpointPage({ id }: { id: string }) {
  const loaded = useLoad<EndpointDetail>(`endpoint/${id}`, {}, refreshMs)
  const endpoint = loaded.value
  return (
    <Page
      title={endpoint === null ? say('endpoints.endpoint') : shortUrl(endpoint.url)}
      actions={endpoint !== null && canWrite() && <Actions endpoint={endpoint} refresh={loaded.refresh} />}
    >
      <Show loaded={loaded}>
        {(detail) => (
          <>
            <div class="why">
              <EndpointStatus endpoint={detail} />
              <p>{sentenceOf(detail)}</p>
            </div>
            <div class="columns">
              <div>
                <RecentAttempts endpointId={detail.id} />
                <Verification />
              </div>
              <div>
                <Details endpoint={detail} />
                <EndpointSecret key={detail.id} endpointId={detail.id} />
              </div>
            </div>
          </>
        )}
      </Show>
    </Page>
  )
}

function sentenceOf(endpoint: EndpointDetail): string {
  const standing = standingOf(endpoint)
  const { failingSince, willBeDisabledAt } = endpoint.health
  if (standing !== 'failing' || failingSince === null || willBeDisabledAt === null) return say(`endpoint.${standing}`)
  return say('endpoint.failing_until', { since: exactTime(failingSince), at: exactTime(willBeDisabledAt) })
}

function Details({ endpoint }: { endpoint: EndpointDetail }) {
  const { url, description, types, createdAt, lastSuccessAt } = endpoint
  return (
    <section class="panel">
      <h2>{say('endpoint.details')}</h2>
      <dl class="details">
        <div>
          <dt>{say('endpoint.url')}</dt>
          <dd>
            <Url url={url} isWhole />
          </dd>
        </div>
        {description !== '' && (
          <div>
            <dt>{say('endpoint.description')}</dt>
            <dd>{description}</dd>
          </div>
        )}
        <div>
          <dt>{say('endpoints.events')}</dt>
          <dd>{types?.join(', ') ?? say('common.all_events')}</dd>
        </div>
        <div>
          <dt>{say('endpoints.last_success')}</dt>
          <dd>
            <Time at={lastSuccessAt} />
          </dd>
        </div>
        <div>
          <dt>{say('endpoint.created')}</dt>
          <dd>
            <Time at={createdAt} />
          </dd>
        </div>
      </dl>
    </section>
  )
}

function Actions({ endpoint, refresh }: { endpoint: EndpointDetail; refresh: () => void }) {
  const [isEditing, setEditing] = useState(false)
  const { id, status } = endpoint
  const verb = status === 'paused' ? 'resume' : status === 'disabled' ? 'enable' : 'pause'
  async function change(): Promise<void> {
    if (await act(post(own(`endpoint/${id}/${verb}`)), say('endpoint.saved'))) refresh()
  }
  return (
    <>
      {status === 'active' && (
        <a class="button" href={portalHref(`test?endpoint=${id}`)}>
          {say('endpoint.test')}
        </a>
      )}
      <button type="button" class="button" onClick={() => setEditing(true)}>
        {say('endpoint.edit')}
      </button>
      <button type="button" class="button" onClick={() => void change()}>
        {say(`endpoint.${verb}`)}
      </button>
      <button type="button" class="button danger" onClick={() => void deleteEndpoint(endpoint)}>
        {say('endpoint.delete')}
      </button>
      {isEditing && (
        <EndpointForm
          title={say('form.edit_title')}
          action={say('form.save')}
          endpoint={endpoint}
          submit={(body) => patch(own(`endpoint/${id}`), body)}
          done={() => {
            setEditing(false)
            notify('good', say('endpoint.saved'))
            refresh()
          }}
          close={() => setEditing(false)}
        />
      )}
    </>
  )
}

async function deleteEndpoint({ id, url }: EndpointDetail): Promise<void> {
  const isMeant = await ask({
    title: say('endpoint.delete_title'),
    sentence: say('endpoint.delete_sentence', { url }),
    action: say('endpoint.delete'),
    isDangerous: true,
  })
  if (isMeant && (await act(remove(own(`endpoint/${id}`)), say('endpoint.deleted')))) go('portal/endpoints')
}
