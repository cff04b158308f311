import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { EventType } from '../../../api/answers.ts'
import { JsonEditor } from '../../../parts/form/json-editor.tsx'
import { nextVersion } from '../../../text/schema-versions.ts'
import { draftOf, exampleText, exampleVerdict, pretty, schemaVerdict, useSchemaCheck } from './draft.ts'
import type { Draft } from './draft.ts'
import { saveDraft } from './save.ts'
import type { Edited } from './save.ts'
import { Refusal } from '../../../parts/refusal.tsx'

interface SchemaEditorProps {
  readonly edited: Edited
  /** The initial content: the version itself, or the one that a new version copies. */
  readonly start: unknown
  readonly saved: (type: EventType, version: string) => void
  readonly cancel?: () => void
  /** Reports whether there are unsaved changes. */
  readonly changed: (isChanged: boolean) => void
}

/** One version of a schema with its example; both are checked as they are typed. */
export function SchemaEditor({ edited: given, start, saved, cancel, changed }: SchemaEditorProps) {
  const [edited, setEdited] = useState(given)
  const [draft, setDraft] = useState(() => draftOf(start))
  const { save, isBusy, problem, conflict, settle } = useSaving(draft, saved)
  const isNew = edited.was === null
  const isChanged = draft.ownExample !== null || draft.text !== pretty(start)
  // Synchronously, not after the next frame: those who choose another version quickly must be asked, too.
  useLayoutEffect(() => changed(isChanged || isNew), [isChanged, isNew])

  function again(next: Edited): void {
    setEdited(next)
    void save(next)
  }
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        void save(edited)
      }}
    >
      <Editors draft={draft} change={setDraft} />
      {conflict !== null && (
        <Conflict
          edited={edited}
          now={conflict}
          again={again}
          load={(was) => {
            setEdited({ ...edited, was })
            setDraft(draftOf(was))
            settle()
          }}
        />
      )}
      <Refusal problem={problem} />
      <div class="actions">
        <button type="submit" class="button primary" disabled={isBusy || !(isChanged || isNew)}>
          {isNew ? 'Add' : 'Save'} version {edited.version}
        </button>
        {(isChanged || cancel !== undefined) && (
          <button type="button" class="button" onClick={cancel ?? (() => setDraft(draftOf(start)))}>
            {cancel === undefined ? 'Discard changes' : 'Cancel'}
          </button>
        )}
      </div>
    </form>
  )
}

/** The save button, and the result of saving. */
function useSaving(draft: Draft, saved: (type: EventType, version: string) => void) {
  const [problem, setProblem] = useState<string | null>(null)
  const [conflict, setConflict] = useState<EventType | null>(null)
  const [isBusy, setBusy] = useState(false)
  const settle = (): void => {
    setProblem(null)
    setConflict(null)
  }
  // An error of an earlier text does not apply to this one.
  useEffect(() => setProblem(null), [draft])
  async function save(edited: Edited): Promise<void> {
    setBusy(true)
    const result = await saveDraft(edited, draft)
    setBusy(false)
    settle()
    if (result.kind === 'saved') saved(result.type, edited.version)
    else if (result.kind === 'changed') setConflict(result.type)
    else setProblem(result.says)
  }
  return { save, isBusy, problem, conflict, settle }
}

function Editors({ draft, change }: { draft: Draft; change: (draft: Draft) => void }) {
  const check = useSchemaCheck(draft)
  return (
    <div class="schema">
      <JsonEditor
        label="Schema"
        name="schema"
        rows={18}
        text={draft.text}
        change={(text) => change({ ...draft, text })}
        verdict={schemaVerdict(draft, check)}
      />
      <div class="example">
        <JsonEditor
          label="Example"
          name="example"
          rows={18}
          text={exampleText(draft)}
          change={(ownExample) => change({ ...draft, ownExample })}
          verdict={exampleVerdict(draft, check)}
        />
        {draft.ownExample !== null && (
          <button type="button" class="button small" onClick={() => change({ ...draft, ownExample: null })}>
            Discard this example
          </button>
        )}
      </div>
      <p class="note">
        The example is kept in the schema’s <code>examples</code>. Tab indents; Escape, then Tab leaves the field.
      </p>
    </div>
  )
}

interface ConflictProps {
  readonly edited: Edited
  readonly now: EventType
  readonly again: (edited: Edited) => void
  readonly load: (schema: unknown) => void
}

/** Somebody else has changed it meanwhile: their changes are overwritten only after a confirmation. */
function Conflict({ edited, now, again, load }: ConflictProps) {
  const { version, was } = edited
  const present = now.schemas?.[version] ?? null
  const next = nextVersion(now.schemas)
  if (was === null)
    return (
      <div class="conflict" role="alert">
        <p>Somebody else has added version {version} meanwhile. Your text is still here, and not saved yet.</p>
        <button type="button" class="button" onClick={() => again({ ...edited, version: next })}>
          Add mine as version {next}
        </button>
      </div>
    )
  return (
    <div class="conflict" role="alert">
      <p>
        Somebody else has {present === null ? 'removed' : 'changed'} version {version} since you opened it. Your text is
        still here, and not saved yet.
      </p>
      <div class="actions">
        <button type="button" class="button" onClick={() => again({ ...edited, was: present })}>
          {present === null ? `Add version ${version} again` : 'Save mine over it'}
        </button>
        {present !== null && (
          <button type="button" class="button" onClick={() => load(present)}>
            Load theirs instead
          </button>
        )}
      </div>
    </div>
  )
}
