import { useState } from 'preact/hooks'
import { post, problemOf } from '../../../api/call.ts'
import { notify } from '../../../state/notices.ts'
import { canWrite } from '../../../state/session.ts'
import { count } from '../../../text/format.ts'
import { bulk } from '../actions.ts'
import type { BulkFilter } from '../actions.ts'
import { nothingSelected } from './selection.ts'
import type { Selected, Selection } from './selection.ts'

interface BulkBarProps extends Selection {
  /** The filters of all matching deliveries that can be retried or cancelled; null if there are none. */
  readonly all: { readonly requeue: BulkFilter | null; readonly cancel: BulkFilter | null }
  /** How many of the selected are not on this page. */
  readonly elsewhere: number
}

/** What can be done with the rows that are selected, on this page and on others, or with all that match. */
export function BulkBar({ selected, change, all, elsewhere }: BulkBarProps) {
  if (!canWrite()) return null
  const isNothing = selected.kind === 'some' && selected.ids.size === 0
  const isOffered = selected.kind === 'some' && (all.requeue !== null || all.cancel !== null)
  return (
    <div class="bulk" role="group" aria-label="Selected deliveries">
      <span class={isNothing ? 'muted hint' : 'chosen'} role="status">
        {saidOf(selected, elsewhere)}
      </span>
      {selected.kind === 'some' ? (
        <SomeActions ids={[...selected.ids]} />
      ) : (
        <AllActions selected={selected} all={all} />
      )}
      {isOffered && <SelectAllMatching all={all} change={change} />}
      {!isNothing && (
        <button type="button" class="button small quiet" onClick={() => change(nothingSelected)}>
          Clear the selection
        </button>
      )}
    </div>
  )
}

function saidOf(selected: Selected, elsewhere: number): string {
  if (selected.kind === 'all') {
    const parts = [
      selected.requeue > 0 ? `${count(selected.requeue)} to retry` : '',
      selected.cancel > 0 ? `${count(selected.cancel)} to cancel` : '',
    ].filter((part) => part !== '')
    return parts.length === 0 ? 'None that match can be retried or cancelled' : `All that match: ${parts.join(', ')}`
  }
  if (selected.ids.size === 0) return 'Select rows, here and on other pages'
  const others = elsewhere === 0 ? '' : `, ${count(elsewhere)} of them on other pages`
  return `${count(selected.ids.size)} selected${others}`
}

function SomeActions({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return null
  return (
    <>
      <button type="button" class="button small primary" onClick={() => void bulk('requeue', [{ ids }])}>
        Retry now
      </button>
      <button type="button" class="button small" onClick={() => void bulk('cancel', [{ ids }])}>
        Cancel
      </button>
    </>
  )
}

function AllActions({ selected, all }: { selected: Extract<Selected, { kind: 'all' }> } & Pick<BulkBarProps, 'all'>) {
  const { requeue, cancel } = all
  return (
    <>
      {requeue !== null && selected.requeue > 0 && (
        <button type="button" class="button small primary" onClick={() => void bulk('requeue', [requeue])}>
          Retry {count(selected.requeue)} …
        </button>
      )}
      {cancel !== null && selected.cancel > 0 && (
        <button type="button" class="button small" onClick={() => void bulk('cancel', [cancel])}>
          Cancel {count(selected.cancel)} …
        </button>
      )}
    </>
  )
}

/** Counts before it selects, with the same dry run as the confirmation of the job. */
function SelectAllMatching({ all, change }: Pick<BulkBarProps, 'all' | 'change'>) {
  const [isBusy, setBusy] = useState(false)

  async function selectAll(): Promise<void> {
    setBusy(true)
    const counts = await Promise.all([matching('requeue', all.requeue), matching('cancel', all.cancel)])
    setBusy(false)
    const [requeue, cancel] = counts
    if (requeue !== null && cancel !== null) change({ kind: 'all', requeue, cancel })
  }

  return (
    <button type="button" class="button small" disabled={isBusy} onClick={() => void selectAll()}>
      Select all that match
    </button>
  )
}

/** Null if it could not be counted; a notice then says so. */
async function matching(action: 'requeue' | 'cancel', filter: BulkFilter | null): Promise<number | null> {
  if (filter === null) return 0
  const answer = await post<{ matching: number }>('job', { action, filter, dryRun: true })
  if (answer.kind === 'answered') return answer.value.matching
  notify('bad', problemOf(answer))
  return null
}
