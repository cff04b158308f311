import { useEffect, useState } from 'preact/hooks'
import { patch, post } from '../../../api/call.ts'
import type { Answer } from '../../../api/call.ts'
import type { EndpointDetail } from '../../../api/answers.ts'
import { browserClock } from '../../../clock.ts'
import { Form } from '../../../parts/form/form.tsx'
import { refusalSentence } from '../settings/use-checked.ts'
import { authenticationIn, isComplete, methodFields, methodNames, methodOf, valueAt } from './methods.ts'
import type { Authentication, AuthenticationField, Method } from './methods.ts'
import { Prose } from '../../../parts/time.tsx'

interface AuthenticationFormProps {
  readonly endpoint: EndpointDetail
  readonly onCancel: () => void
  readonly done: () => void
}

/** The error, and the name of the form's field that it is about. */
interface Refusal {
  readonly field: string
  readonly sentence: string
}

/** Sets the authentication as a whole; the server checks the input once it is complete. */
export function AuthenticationForm({ endpoint, onCancel, done }: AuthenticationFormProps) {
  const { authentication } = endpoint
  const at = `app/${endpoint.applicationId}/endpoint/${endpoint.id}`
  const [method, setMethod] = useState<Method>(methodOf(authentication))
  const { refusal, typedIn } = useFormCheck(at)
  const shown = { authentication, refusal }
  return (
    <div class="authentication" onInput={(event) => typedIn(formAround(event.target))}>
      <Form
        action="Save the authentication"
        submit={(values) => patch(at, { authentication: authenticationIn(values) })}
        done={done}
        onCancel={onCancel}
      >
        {authentication !== null && (
          <p class="muted">A change replaces all of it. Secrets are not shown, so enter them again.</p>
        )}
        <label class="field">
          <span>Method</span>
          <select name="method" value={method} onChange={(event) => setMethod(event.currentTarget.value as Method)}>
            {Object.entries(methodNames).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <MethodFields key={method} method={method} {...shown} />
        <CertificateFields {...shown} />
        <p class="refusal" role="status">
          {refusal !== null && <Prose text={refusal.sentence} />}
        </p>
      </Form>
    </div>
  )
}

interface ShownProps {
  readonly authentication: Authentication | null
  readonly refusal: Refusal | null
}

function MethodFields({ method, ...shown }: ShownProps & { readonly method: Method }) {
  const fields = methodFields[method]
  if (fields.length === 0) return null
  return (
    <div class="halves">
      {fields.map((field) => (
        <SecretOrText key={field.name} field={field} {...shown} />
      ))}
      {method === 'oauth2' && <CredentialsIn value={valueAt(shown.authentication, 'oauth2.credentialsIn')} />}
    </div>
  )
}

function SecretOrText({ field, authentication, refusal }: ShownProps & { readonly field: AuthenticationField }) {
  const { name, label, placeholder, isSecret = false, isOptional = false } = field
  // The JSX types know each type of input on its own, but not a union of them.
  const type = { type: isSecret ? 'password' : 'text' } as { type: 'text' }
  return (
    <label class="field">
      <span>
        {label}
        {isOptional && <span class="muted"> (optional)</span>}
      </span>
      <input
        name={name}
        {...type}
        defaultValue={isSecret ? '' : valueAt(authentication, name)}
        placeholder={placeholder}
        required={!isOptional}
        autocomplete={isSecret ? 'new-password' : 'off'}
        spellcheck={false}
        aria-invalid={refusal?.field === name}
      />
    </label>
  )
}

function CredentialsIn({ value }: { value: string }) {
  return (
    <label class="field">
      <span>Id and secret in</span>
      <select name="oauth2.credentialsIn" defaultValue={value === 'body' ? 'body' : 'header'}>
        <option value="header">the header (Basic)</option>
        <option value="body">the body</option>
      </select>
    </label>
  )
}

function CertificateFields({ authentication, refusal }: ShownProps) {
  const certificate = valueAt(authentication, 'clientCertificate.certificate')
  const ca = valueAt(authentication, 'ca')
  return (
    <details open={certificate !== '' || ca !== ''}>
      <summary>Client certificate (mTLS) and extra authority</summary>
      <div class="certificates">
        <Pem
          name="clientCertificate.certificate"
          label="Client certificate"
          hint="PEM: the certificate first, then those between it and its authority."
          value={certificate}
          refusal={refusal}
        />
        <Pem
          name="clientCertificate.privateKey"
          label="Private key"
          hint="PEM, without a passphrase. It is not shown again."
          value=""
          refusal={refusal}
        />
        <Pem
          name="ca"
          label="Extra certificate authority"
          hint="PEM: trusted for this endpoint, beside those that are trusted anyway."
          value={ca}
          refusal={refusal}
        />
      </div>
    </details>
  )
}

interface PemProps {
  readonly name: string
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly refusal: Refusal | null
}

function Pem({ name, label, hint, value, refusal }: PemProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <textarea
        name={name}
        rows={4}
        spellcheck={false}
        autocomplete="off"
        defaultValue={value}
        placeholder="-----BEGIN …"
        aria-invalid={refusal?.field === name}
      />
      <small>{hint}</small>
    </label>
  )
}

const pauseMs = 400

/** Checks a whole form after a pause in typing, once it is complete. */
function useFormCheck(at: string) {
  const [typed, setTyped] = useState<{ form: HTMLFormElement } | null>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  useEffect(() => {
    if (typed === null) return undefined
    let isOver = false
    const cancel = browserClock.after(pauseMs, () => void check(typed.form))
    async function check(form: HTMLFormElement): Promise<void> {
      const values = valuesOf(form)
      const authentication = isComplete(values) ? authenticationIn(values) : null
      const answer = authentication === null ? null : await post(`${at}/check`, { authentication })
      if (!isOver) setRefusal(answer === null ? null : refusalOf(answer))
    }
    return () => {
      isOver = true
      cancel()
    }
  }, [typed])
  return { refusal, typedIn: (form: HTMLFormElement | null) => form !== null && setTyped({ form }) }
}

function refusalOf(answer: Answer<unknown>): Refusal | null {
  if (answer.kind !== 'refused') return null
  const field = /^authentication\.([\w.]+): /.exec(answer.detail)?.[1] ?? ''
  return { field, sentence: refusalSentence(answer) }
}

function formAround(target: EventTarget | null): HTMLFormElement | null {
  return target instanceof Element ? target.closest('form') : null
}

function valuesOf(form: HTMLFormElement): (name: string) => string {
  const data = new FormData(form)
  return (name) => {
    const value = data.get(name)
    return typeof value === 'string' ? value.trim() : ''
  }
}
