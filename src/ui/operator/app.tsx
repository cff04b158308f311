import { useEffect } from 'preact/hooks'
import { get } from '../api/call.ts'
import { browserClock } from '../clock.ts'
import type { Session } from '../api/answers.ts'
import { pressed } from './shortcuts.ts'
import { Audit } from './audit-page.tsx'
import { customerPageAt } from './customer-pages.tsx'
import { DeadLetters } from './delivery/dead-letters-page.tsx'
import { Deliveries } from './delivery/deliveries-page.tsx'
import { Delivery } from './delivery/delivery-page.tsx'
import { Endpoint } from './endpoint/endpoint-page.tsx'
import { Endpoints } from './endpoint/endpoints-page.tsx'
import { EventType } from './event-type/event-type-page.tsx'
import { EventTypes } from './event-type/event-types-page.tsx'
import { Job } from './job/job-page.tsx'
import { Jobs } from './job/jobs-page.tsx'
import { Overview } from './overview/overview-page.tsx'
import { Settings } from './settings/settings-page.tsx'
import { SignIn } from './sign-in.tsx'
import { Tail } from './tail/tail-page.tsx'
import { Palette } from './palette/palette.tsx'
import { Questions } from '../parts/dialog.tsx'
import { ShortcutsDialog } from './shortcuts-dialog.tsx'
import { Page } from '../parts/page.tsx'
import { Shell } from './shell.tsx'
import { Empty } from '../parts/loaded.tsx'
import { followLinks, href, path } from '../state/router.ts'
import { connectionLost } from '../state/connection.ts'
import { session } from '../state/session.ts'

const retryMs = 3_000

/** The dashboard. Without a session the sign-in form is shown instead of the page; the address stays, so signing in leads straight back to it. */
export function App() {
  useEffect(() => {
    document.addEventListener('click', followLinks)
    document.addEventListener('keydown', pressed)
    void enter()
  }, [])
  if (session.value === undefined)
    return connectionLost.value ? (
      <p class="lonely">The server does not answer yet. This page tries again by itself.</p>
    ) : null
  if (session.value === null) return <SignIn />
  if (session.value.caller.applicationId !== null) return <ToPortal />
  return (
    <>
      <Shell>
        <Route key={path.value} />
      </Shell>
      <Questions />
      <ShortcutsDialog />
      <Palette />
    </>
  )
}

function Route() {
  const [page = '', id = '', ...rest] = path.value.split('/')
  if (rest.length > 0) return <Unknown />
  return customerPageAt(page, id) ?? (id === '' ? pageAt(page) : (detailPageAt(page, id) ?? pageAt(page)))
}

/** Null for a page whose rows have no pages of their own. */
function detailPageAt(page: string, id: string) {
  switch (page) {
    case 'endpoints':
      return <Endpoint id={id} />
    case 'deliveries':
      return <Delivery id={id} />
    case 'jobs':
      return <Job id={id} />
    case 'event-types':
      return <EventType name={id} />
    default:
      return null
  }
}

function pageAt(page: string) {
  switch (page) {
    case '':
      return <Overview />
    case 'endpoints':
      return <Endpoints />
    case 'deliveries':
      return <Deliveries />
    case 'dead-letters':
      return <DeadLetters />
    case 'jobs':
      return <Jobs />
    case 'tail':
      return <Tail />
    case 'event-types':
      return <EventTypes />
    case 'audit':
      return <Audit />
    case 'settings':
      return <Settings />
    default:
      return <Unknown />
  }
}

/** A key that is limited to one application belongs in the portal. */
function ToPortal() {
  useEffect(() => window.location.replace(href('portal')), [])
  return null
}

function Unknown() {
  return (
    <Page title="There is no such page">
      <Empty title="Nothing is here">
        <p>
          The address may be mistyped, or your key may have no access to the page.{' '}
          <a href={href('')}>Back to the overview</a>
        </p>
      </Empty>
    </Page>
  )
}

/** Asks the server who is signed in. */
async function enter(): Promise<void> {
  const answer = await get<Session>('session')
  if (answer.kind === 'answered') session.value = answer.value
  else if (answer.kind === 'unreachable') browserClock.after(retryMs, () => void enter())
  else session.value = null
}
