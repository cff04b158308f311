import type { ComponentChildren } from 'preact'
import { Ago, Until } from '../../parts/time.tsx'

export interface AccessRow {
  readonly id: string
  readonly name: ComponentChildren
  /** Further details. */
  readonly under: ComponentChildren
  readonly createdAt: string
  readonly expiresAt: string | null
  /** The button that revokes it, for those with write access. */
  readonly action: ComponentChildren
}

/** Who has access, since when and until when: keys, and browsers that are signed in. */
export function AccessTable(props: {
  caption: string
  nameHead: string
  sinceHead: string
  canAct: boolean
  rows: readonly AccessRow[]
}) {
  const { caption, nameHead, sinceHead, canAct, rows } = props
  return (
    <div class="scroll">
      <table class="rows">
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{nameHead}</th>
            <th scope="col" class="wide">
              {sinceHead}
            </th>
            <th scope="col" class="wide">
              Expires
            </th>
            {canAct && (
              <th scope="col">
                <span class="hidden">Action</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.id} row={row} canAct={canAct} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ row: { name, under, createdAt, expiresAt, action }, canAct }: { row: AccessRow; canAct: boolean }) {
  const expires = expiresAt === null ? null : <Until at={expiresAt} />
  return (
    <tr>
      <td class="main">
        {name}
        <div class="under whole">{under}</div>
        <div class="under narrow">{expires === null ? 'never expires' : <>expires {expires}</>}</div>
      </td>
      <td class="wide when">
        <Ago at={createdAt} />
      </td>
      <td class="wide when">{expires ?? 'never'}</td>
      {canAct && <td class="action">{action}</td>}
    </tr>
  )
}
