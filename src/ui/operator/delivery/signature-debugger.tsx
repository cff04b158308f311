import { useRef, useState } from 'preact/hooks'
import type { SignatureCheck } from '../../api/answers.ts'
import { post } from '../../api/call.ts'
import { Form } from '../../parts/form/form.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Prose } from '../../parts/time.tsx'

/** Compares what a customer received with what was sent. The server does it, so that no secret reaches the browser. */
export function SignatureDebugger({ deliveryId }: { deliveryId: string }) {
  const [check, setCheck] = useState<SignatureCheck | null>(null)
  const body = useRef<HTMLTextAreaElement>(null)
  // Not through the form, which trims values: white space may be the difference.
  const given = (headers: string): { headers: string; body?: string } =>
    body.current === null || body.current.value === '' ? { headers } : { headers, body: body.current.value }
  return (
    <details class="panel debugger">
      <summary>
        <h2>Signature debugger</h2>
        <span class="muted">Paste what the customer received, and see what differs.</span>
      </summary>
      <Form<SignatureCheck>
        action="Compare"
        submit={(values) => post(`delivery/${deliveryId}/check-signature`, given(values('headers')))}
        done={setCheck}
      >
        <label class="field">
          <span>Headers or signature</span>
          <textarea
            name="headers"
            rows={4}
            required
            spellcheck={false}
            placeholder={'webhook-id: msg_…\nwebhook-timestamp: 1700000000\nwebhook-signature: v1,K5oZ…'}
          />
          <small>The headers as received, or only the signature that the customer computed.</small>
        </label>
        <label class="field">
          <span>Body</span>
          <textarea name="body" rows={4} spellcheck={false} ref={body} />
          <small>The body as received, exactly: every space counts. Leave it empty if it is not at hand.</small>
        </label>
      </Form>
      <div aria-live="polite">{check !== null && <Result check={check} />}</div>
    </details>
  )
}

function Result({ check: { verdict, sentence, findings } }: { check: SignatureCheck }) {
  return (
    <div class={verdict === 'match' ? 'result good' : 'result bad'}>
      <p>
        <Icon name={verdict === 'match' ? 'check' : 'cross'} />
        <Prose text={sentence} />
      </p>
      {findings.length > 0 && (
        <ul>
          {findings.map((finding) => (
            <li key={finding.code}>
              {finding.sentence !== sentence && (
                <p>
                  <Prose text={finding.sentence} />
                </p>
              )}
              <Compared sent={finding.sent} pasted={finding.pasted} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Compared({ sent, pasted }: { sent: string | null; pasted: string | null }) {
  if (sent === null || pasted === null) return null
  return (
    <dl>
      <dt>Sent</dt>
      <dd>
        <code>{sent}</code>
      </dd>
      <dt>Pasted</dt>
      <dd>
        <code>{pasted}</code>
      </dd>
    </dl>
  )
}
