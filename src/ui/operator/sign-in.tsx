import { get, post } from '../api/call.ts'
import type { Session } from '../api/answers.ts'
import { Field, Form } from '../parts/form/form.tsx'
import { Logo } from '../parts/icons.tsx'
import { session, sessionExpired } from '../state/session.ts'

/** The sign-in form. The key is sent to the server once, which sets a cookie that no script can read. */
export function SignIn() {
  return (
    <main class="sign-in">
      <h1>
        <Logo />
        Posthorn
      </h1>
      <p role="status">
        {sessionExpired.value &&
          'Your session has ended: it has expired, or its key was revoked. Sign in, and you are back on the same page.'}
      </p>
      <Form action="Sign in" submit={(values) => post('session', { key: values('key') })} done={() => void enter()}>
        <Field name="key" label="API key" kind="password" isRequired />
      </Form>
      <details>
        <summary>Where do I get a key?</summary>
        <p>
          <code>posthorn keys create --name me</code> prints one. It is shown once; the server keeps only its hash.
        </p>
      </details>
    </main>
  )
}

async function enter(): Promise<void> {
  const answer = await get<Session>('session')
  if (answer.kind !== 'answered') return
  session.value = answer.value
  sessionExpired.value = false
}
