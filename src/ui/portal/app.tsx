import { useEffect } from 'preact/hooks'
import { connectionLost } from '../state/connection.ts'
import { followLinks, path } from '../state/router.ts'
import { session } from '../state/session.ts'
import { enter } from './entry.ts'
import { Catalogue } from './pages/catalogue-page.tsx'
import { EndpointPage } from './pages/endpoint-page.tsx'
import { Endpoints } from './pages/endpoints-page.tsx'
import { Logs } from './pages/logs-page.tsx'
import { MessagePage } from './pages/message-page.tsx'
import { Messages } from './pages/messages-page.tsx'
import { Test } from './pages/test-page.tsx'
import { Empty } from './parts/loaded.tsx'
import { Page, portalHref } from './parts/page.tsx'
import { Questions } from './parts/question.tsx'
import { say } from './settings.ts'
import { Brand, Shell } from './shell.tsx'

/** The customers' portal: their endpoints, and what was sent to them. */
export function App() {
  useEffect(() => {
    document.addEventListener('click', followLinks)
    void enter()
  }, [])
  return (
    <>
      <Entered />
      <Questions />
    </>
  )
}

function Entered() {
  if (session.value === undefined) return connectionLost.value ? <p class="lonely">{say('common.offline')}</p> : null
  if (session.value === null) return <Expired />
  return (
    <Shell>
      <Route key={path.value} />
    </Shell>
  )
}

/** Without a session a new link is needed: there is no key to type in. */
function Expired() {
  return (
    <main class="sign-in">
      <Brand />
      <h1>{say('entry.title')}</h1>
      <p>{say('entry.sentence')}</p>
    </main>
  )
}

function Route() {
  const [, page = '', id = '', ...rest] = path.value.split('/')
  if (rest.length > 0) return <Unknown />
  return id === '' ? pageAt(page) : detailPageAt(page, id)
}

function pageAt(page: string) {
  switch (page) {
    case '':
    case 'endpoints':
      return <Endpoints />
    case 'messages':
      return <Messages />
    case 'events':
      return <Catalogue />
    case 'test':
      return <Test />
    case 'logs':
      return <Logs />
    default:
      return <Unknown />
  }
}

function detailPageAt(page: string, id: string) {
  switch (page) {
    case 'endpoints':
      return <EndpointPage id={id} />
    case 'messages':
      return <MessagePage id={id} />
    default:
      return <Unknown />
  }
}

function Unknown() {
  return (
    <Page title={say('common.no_page')}>
      <Empty title={say('common.no_page_hint')}>
        <p>
          <a href={portalHref('')}>{say('common.back')}</a>
        </p>
      </Empty>
    </Page>
  )
}
