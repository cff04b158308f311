import { useId, useState } from 'preact/hooks'
import { Combobox } from '../../../parts/form/combobox.tsx'
import { namesIn } from '../../../parts/form/form.tsx'
import { eventTypeChoices } from '../../search.ts'
import { Checked } from './checked-field.tsx'
import { useChecked } from './use-checked.ts'

/** The event types that an endpoint gets: suggested while somebody types, and checked by the server. */
export function TypesField({ types, at }: { types: readonly string[] | null; at: string }) {
  const [value, change] = useState(types?.join(', ') ?? '')
  const { type, problem } = useChecked(at, (text) => ({ body: typesChange(text) }))
  const problemId = useId()
  return (
    <Checked problem={problem} problemId={problemId}>
      <Combobox
        label="Event types"
        value={value}
        change={(text) => {
          change(text)
          type(text)
        }}
        choices={eventTypeChoices}
        isMany
        problemId={problem === null ? undefined : problemId}
        placeholder="invoice.paid, invoice.*"
        hint="Separated by commas; empty means all."
      />
      <input type="hidden" name="types" value={value} />
    </Checked>
  )
}

/** As the API takes it: null means all types. */
export function typesChange(text: string): { readonly eventTypes: readonly string[] | null } {
  const names = namesIn(text)
  return { eventTypes: names.length === 0 ? null : names }
}
