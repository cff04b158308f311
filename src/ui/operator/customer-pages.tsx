import { Application } from './application/application-page.tsx'
import { Applications } from './application/applications-page.tsx'
import { Message } from './message/message-page.tsx'
import { Messages } from './message/messages-page.tsx'
import { SendMessage } from './message/send-page.tsx'

/** The pages of customers and messages; null if the address is that of another page. */
export function customerPageAt(page: string, id: string) {
  if (page === 'applications') return id === '' ? <Applications /> : <Application id={id} />
  if (page !== 'messages') return null
  if (id === '') return <Messages />
  // Ids have a prefix, so none of them is this word.
  return id === 'send' ? <SendMessage /> : <Message id={id} />
}
