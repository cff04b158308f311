import type { AuditEntry, List } from '../api/answers.ts'
import { count } from '../text/format.ts'
import { useLoad } from '../state/use-load.ts'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/table/pager.tsx'
import { Empty, Show } from '../parts/loaded.tsx'
import { Ago, Prose } from '../parts/time.tsx'
import { query } from '../state/router.ts'
import { changeLabels, targetLabel } from '../text/labels.ts'

const pageSize = 50

/** Who did what, newest first. */
export function Audit() {
  const loaded = useLoad<List<AuditEntry>>('audit', { iterator: query.value.get('iterator'), limit: pageSize })
  return (
    <Page title="Audit">
      <Show loaded={loaded}>
        {(list) =>
          list.data.length === 0 ? (
            <Empty title="No audit entries yet">
              <p>
                Every change, retry, sign-in and reveal of a secret is kept here for a year, with who did it and from
                where.
              </p>
            </Empty>
          ) : (
            <>
              <Table entries={list.data} />
              <Pager list={list} />
            </>
          )
        }
      </Show>
    </Page>
  )
}

function Table({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <div class="scroll">
      <table class="rows">
        <caption class="hidden">Audit entries, newest first</caption>
        <thead>
          <tr>
            <th scope="col" aria-sort="descending">
              Time
            </th>
            <th scope="col">Who</th>
            <th scope="col">Action</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ id, at, actor, from, action, target, count: many, reason, before, after }) => (
            <tr key={id} data-row tabIndex={-1}>
              <td class="when">
                <Ago at={at} />
              </td>
              <td>
                {actor}
                {from !== null && from !== actor && <div class="under">{from}</div>}
              </td>
              <td class="main">
                <strong>{action}</strong> {many > 1 && `× ${count(many)}`}
                {reason !== null && <div>{reason}</div>}
                <div class="under whole">
                  <Prose text={targetLabel(target)} />
                </div>
                {changeLabels(before, after).map((line) => (
                  <div class="under whole" key={line}>
                    <Prose text={line} />
                  </div>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
