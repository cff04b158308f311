import { useRef, useState } from 'preact/hooks'
import type { EventType } from '../../../api/answers.ts'
import { Code } from '../../../parts/code.tsx'
import { ask } from '../../../parts/dialog.tsx'
import { Panel } from '../../../parts/page.tsx'
import { notify } from '../../../state/notices.ts'
import { query, setQuery } from '../../../state/router.ts'
import { canWrite } from '../../../state/session.ts'
import { exampleOf } from '../../../text/schema-example.ts'
import { newestSchema, nextVersion, versionsOf } from '../../../text/schema-versions.ts'
import { pretty } from './draft.ts'
import { setSchema } from './save.ts'
import { SchemaEditor } from './schema-editor.tsx'

interface SchemaPanelProps {
  readonly type: EventType
  readonly keep: (type: EventType) => void
}

const firstSchema = { type: 'object', properties: {}, required: [] }

/** The versions of a schema: one is shown, and edited by those who have access. */
export function SchemaPanel({ type, keep }: SchemaPanelProps) {
  const [isAdding, setAdding] = useState(false)
  // After saving, the editor restarts with what is stored.
  const [saves, setSaves] = useState(0)
  const isChanged = useRef(false)
  const version = chosenVersion(type)

  async function leave(to: () => void): Promise<void> {
    if (isChanged.current && !(await mayDiscard())) return
    isChanged.current = false
    to()
  }
  function saved(next: EventType, which: string | null, says: string): void {
    isChanged.current = false
    keep(next)
    setAdding(false)
    setSaves(saves + 1)
    setQuery({ version: which }, 'replace')
    notify('good', says)
  }
  const actions = !isAdding && (
    <Versions
      type={type}
      version={version}
      choose={(next) => void leave(() => setQuery({ version: next }, 'replace'))}
      add={() => void leave(() => setAdding(true))}
      removed={(next) => saved(next, null, `Removed version ${version ?? ''}.`)}
    />
  )
  return (
    <Panel title="Payload" actions={actions}>
      {version === undefined && !isAdding ? (
        <NoSchema />
      ) : (
        <Shown
          key={`${isAdding ? 'new' : version} ${saves}`}
          type={type}
          version={isAdding ? undefined : version}
          saved={(next, which) => saved(next, which, `Saved version ${which}.`)}
          changed={(is) => (isChanged.current = is)}
          cancel={() => void leave(() => setAdding(false))}
        />
      )}
    </Panel>
  )
}

/** The one in the address, or the newest; undefined if there is none. */
function chosenVersion({ schemas }: EventType): string | undefined {
  const versions = versionsOf(schemas)
  const wanted = query.value.get('version') ?? ''
  return versions.includes(wanted) ? wanted : versions.at(-1)
}

interface ShownProps {
  readonly type: EventType
  /** Undefined for a new one. */
  readonly version: string | undefined
  readonly saved: (type: EventType, version: string) => void
  readonly changed: (isChanged: boolean) => void
  readonly cancel: () => void
}

/** One version; a new one begins as a copy of the newest. */
function Shown({ type, version, saved, changed, cancel }: ShownProps) {
  const { name, schemas } = type
  const newest = versionsOf(schemas).at(-1)
  const current = version === undefined ? null : schemas?.[version]
  const start = current ?? newestSchema(schemas) ?? firstSchema
  const editing = { start, saved, changed, ...(version === undefined && { cancel }) }
  return (
    <>
      {version !== undefined && <Meaning isNewest={version === newest} newest={newest ?? ''} />}
      {canWrite() ? (
        <SchemaEditor edited={{ name, version: version ?? nextVersion(schemas), was: current }} {...editing} />
      ) : (
        <div class="two">
          <Code label={`Schema of ${name}`} text={pretty(start)} />
          <Code label={`Example of ${name}`} text={pretty(exampleOf(start))} />
        </div>
      )}
    </>
  )
}

async function mayDiscard(): Promise<boolean> {
  const reply = await ask({
    title: 'Discard your changes?',
    sentence: 'What you changed in this version is not saved yet.',
    action: 'Discard them',
    leave: 'Keep editing',
    isDangerous: true,
  })
  return reply !== null
}

function NoSchema() {
  return (
    <p class="muted">
      There is no schema yet: any payload is accepted. A schema tells your customers what a payload looks like.
    </p>
  )
}

function Meaning({ isNewest, newest }: { isNewest: boolean; newest: string }) {
  return (
    <p class="muted">
      {isNewest
        ? 'The newest version: customers see it in their catalogue, and payloads must match it if POSTHORN_ENFORCE_SCHEMAS is set.'
        : `An older version, kept for reference. The newest is version ${newest}.`}
    </p>
  )
}

interface VersionsProps {
  readonly type: EventType
  readonly version: string | undefined
  readonly choose: (version: string) => void
  readonly add: () => void
  readonly removed: (type: EventType) => void
}

function Versions({ type, version, choose, add, removed }: VersionsProps) {
  const versions = versionsOf(type.schemas)

  return (
    <>
      {version !== undefined && (
        <label class="version">
          <span>Version</span>
          <select
            value={version}
            onChange={({ currentTarget: select }) => {
              const next = select.value
              // Only after a confirmation: those who keep editing stay at this version.
              select.value = version
              choose(next)
            }}
          >
            {versions.toReversed().map((each, index) => (
              <option key={each} value={each}>
                {index === 0 ? `${each} (newest)` : each}
              </option>
            ))}
          </select>
        </label>
      )}
      {canWrite() && (
        <button type="button" class="button" onClick={add}>
          {version === undefined ? 'Add a schema' : `Add version ${nextVersion(type.schemas)}`}
        </button>
      )}
      {canWrite() && version !== undefined && (
        <button type="button" class="button" onClick={() => void removeVersion(type, version, removed)}>
          Remove …
        </button>
      )}
    </>
  )
}

async function removeVersion(type: EventType, version: string, removed: (type: EventType) => void): Promise<void> {
  const [newest, before] = versionsOf(type.schemas).toReversed()
  const reply = await ask({
    title: `Remove version ${version} of ${type.name}?`,
    sentence:
      newest !== version
        ? `The newest version stays ${newest ?? ''}.`
        : before === undefined
          ? 'It is the only one: any payload is accepted from then on.'
          : `Version ${before} is the newest from then on.`,
    action: 'Remove it',
    isDangerous: true,
  })
  if (reply === null) return
  const result = await setSchema({ name: type.name, version, was: type.schemas?.[version] ?? null }, null)
  if (result.kind === 'saved') return removed(result.type)
  notify('bad', result.kind === 'refused' ? result.says : changedMeanwhile(version))
}

function changedMeanwhile(version: string): string {
  return `Somebody else has changed version ${version} since you opened it. Load the page again to see it.`
}
