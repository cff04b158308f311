import { useState } from 'preact/hooks'
import { post, problemOf, remove } from '../../api/call.ts'
import type { Key, List } from '../../api/answers.ts'
import { accessLabel } from '../../text/labels.ts'
import { notify } from '../../state/notices.ts'
import { canWrite } from '../../state/session.ts'
import { Code } from '../../parts/code.tsx'
import { ask } from '../../parts/dialog.tsx'
import { Dialog } from '../../parts/modal.tsx'
import { ComboboxField } from '../../parts/form/combobox.tsx'
import { Field, Form } from '../../parts/form/form.tsx'
import { applicationChoices } from '../search.ts'
import { useLoad } from '../../state/use-load.ts'
import { Panel } from '../../parts/page.tsx'
import { Show } from '../../parts/loaded.tsx'
import { AccessTable } from './access-table.tsx'
import type { AccessRow } from './access-table.tsx'

/** The keys that have access. A key is shown once, when it is created. */
export function ApiKeys() {
  const loaded = useLoad<List<Key>>('key', { limit: 100 })
  const [isAdding, setAdding] = useState(false)
  const [token, setToken] = useState<string | null>(null)

  async function revoke(key: Key): Promise<void> {
    const sentence = 'It stops working at once, for everything that uses it.'
    if (
      (await ask({ title: `Revoke the key ${key.name}?`, sentence, action: 'Revoke it', isDangerous: true })) === null
    )
      return
    const answer = await remove(`key/${key.id}`)
    if (answer.kind !== 'answered') return notify('bad', problemOf(answer))
    notify('good', 'Revoked.')
    loaded.refresh()
  }

  const add = canWrite() && (
    <button type="button" class="button small" onClick={() => setAdding(true)}>
      Create a key
    </button>
  )
  return (
    <Panel title="API keys" actions={add}>
      {token !== null && (
        <>
          <p>This is the key. It is not shown again.</p>
          <Code label="The new key" text={token} />
        </>
      )}
      <Show loaded={loaded} lines={3}>
        {(list) =>
          list.data.length === 0 ? (
            <p class="muted">No key was created yet. Programs that send messages need one.</p>
          ) : (
            <Keys keys={list.data} revoke={(key) => void revoke(key)} />
          )
        }
      </Show>
      {isAdding && (
        <Adding
          close={() => setAdding(false)}
          done={(created) => {
            setAdding(false)
            setToken(created)
            loaded.refresh()
          }}
        />
      )}
    </Panel>
  )
}

function Keys({ keys, revoke }: { keys: readonly Key[]; revoke: (key: Key) => void }) {
  return (
    <AccessTable
      caption="API keys"
      nameHead="Name"
      sinceHead="Created"
      canAct={canWrite()}
      rows={keys.map((key) => rowOf(key, revoke))}
    />
  )
}

function rowOf(key: Key, revoke: (key: Key) => void): AccessRow {
  const { id, name, hint, access, appId, createdAt, expiresAt } = key
  return {
    id,
    name,
    under: (
      <>
        <code>{hint}…</code> {accessLabel(access)} to {appId ?? 'all applications'}
      </>
    ),
    createdAt,
    expiresAt,
    action: (
      <button type="button" class="button small" aria-label={`Revoke ${name}`} onClick={() => revoke(key)}>
        Revoke
      </button>
    ),
  }
}

function Adding({ close, done }: { close: () => void; done: (token: string) => void }) {
  return (
    <Dialog title="Create a key" onClose={close}>
      <Form
        action="Create the key"
        onCancel={close}
        submit={(values) => {
          const application = values('application')
          return post<{ token: string }>('key', {
            name: values('name'),
            access: values('access'),
            ...(application === '' ? {} : { appId: application }),
          })
        }}
        done={({ token }) => done(token)}
      >
        <Field name="name" label="Name" hint="Who or what will use it." isRequired />
        <label class="field">
          <span>Access</span>
          <select name="access">
            <option value="read">read</option>
            <option value="write">read and write</option>
          </select>
        </label>
        <ComboboxField
          name="application"
          label="Only this application"
          hint="Empty means all applications."
          choices={applicationChoices}
        />
      </Form>
    </Dialog>
  )
}
