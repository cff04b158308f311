import type { Found, SearchKind } from '../../../core/ports/search.ts'
import type { Row } from '../sql/database.ts'
import { text, textOrNull } from './columns.ts'

export function toFound(kind: SearchKind, row: Row): Found {
  return {
    kind,
    id: text(row, 'id'),
    uid: textOrNull(row, 'uid'),
    name: text(row, 'name'),
    url: textOrNull(row, 'url'),
    applicationId: textOrNull(row, 'application_id'),
    applicationName: textOrNull(row, 'application_name'),
    status: textOrNull(row, 'status'),
  }
}
