import { useEffect, useState } from 'preact/hooks'
import { getText } from '../../api/call.ts'
import { own } from '../api.ts'
import { laidOut } from '../format.ts'
import { say } from '../settings.ts'
import { Code } from './code.tsx'

/** The payload of a message as it was sent, byte for byte: a browser that parses it rounds its large numbers. */
export function Payload({ messageId }: { messageId: string }) {
  const [text, setText] = useState<string | null>(null)
  useEffect(() => {
    const leaving = new AbortController()
    void getText(own(`msg/${messageId}`), leaving.signal).then((answer) =>
      leaving.signal.aborted ? undefined : setText(payloadIn(answer)),
    )
    return () => leaving.abort()
  }, [messageId])
  if (text === null) return <div class="bone" aria-busy="true" />
  if (text === '{"expired":true}' || text === '') return <p class="muted">{say('message.payload_gone')}</p>
  return <Code label={say('message.payload')} text={laidOut(text)} />
}

/** The payload is the last field of a message: everything after its name, up to the end of the message. */
function payloadIn(message: string | null): string {
  const start = message?.indexOf(beginning) ?? -1
  return message === null || start < 0 ? '' : message.slice(start + beginning.length, -1)
}

const beginning = ',"payload":'
