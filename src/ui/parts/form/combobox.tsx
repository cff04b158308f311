import { useId, useState } from 'preact/hooks'
import { query, setQuery } from '../../state/router.ts'
import type { Search } from '../../state/use-search.ts'
import { counted } from '../../text/format.ts'
import { useChoosing } from './choosing.ts'
import type { Choice, Choosing } from './choosing.ts'
import { Option } from './option-list.tsx'

export interface ComboboxProps {
  readonly label: string
  readonly value: string
  readonly change: (value: string) => void
  /** Searches for a text; the server does it, so ten thousand choices are as fast as ten. */
  readonly choices: Search<Choice>
  readonly placeholder?: string
  readonly hint?: string
  /** `line` has no visible label; `search` is also the field that the key f leads to. */
  readonly kind?: 'search' | 'line' | 'field'
  /** Text that is no choice is taken as it is: it may be the name of something new. */
  readonly isFree?: boolean
  /** Several, separated by commas; text that is no choice is taken as it is. */
  readonly isMany?: boolean
  readonly isRequired?: boolean
  /** The element that says what is wrong with the value, if anything is. */
  readonly problemId?: string | undefined
}

/** A field that searches for choices while somebody types. */
export function Combobox(props: ComboboxProps) {
  const { label, hint, kind = 'field' } = props
  const id = useId()
  const box = useChoosing(props)
  return (
    <div class={kind === 'search' ? 'field search combobox' : 'field combobox'}>
      <label for={id} class={kind === 'field' ? undefined : 'hidden'}>
        {label}
      </label>
      <Input {...props} id={id} box={box} />
      <Choices id={id} box={box} />
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  )
}

function Input(props: ComboboxProps & { readonly id: string; readonly box: Choosing }) {
  const { id, box, label, kind = 'field', placeholder = kind === 'field' ? '' : label, isRequired = false } = props
  return (
    <input
      id={id}
      type="text"
      role="combobox"
      aria-autocomplete="list"
      aria-expanded={box.isOpen}
      aria-controls={`${id}-choices`}
      aria-activedescendant={box.isOpen && box.active >= 0 ? `${id}-${box.active}` : undefined}
      {...described(props)}
      data-search={kind === 'search' ? '' : undefined}
      placeholder={placeholder}
      required={isRequired}
      autocomplete="off"
      spellcheck={false}
      maxLength={200}
      value={box.text}
      onInput={({ currentTarget }) => box.type(currentTarget.value)}
      onClick={box.open}
      onFocus={({ currentTarget }) => currentTarget.select()}
      onBlur={box.leave}
      onKeyDown={box.press}
    />
  )
}

/** The error of the value if there is one, else the hint. */
function described({ id, hint, problemId }: ComboboxProps & { readonly id: string }) {
  if (problemId !== undefined) return { 'aria-invalid': true, 'aria-describedby': problemId }
  return hint === undefined ? {} : { 'aria-describedby': `${id}-hint` }
}

function Choices({ id, box }: { id: string; box: Choosing }) {
  return (
    <>
      <div class="choices" id={`${id}-choices`} role="listbox" aria-label="Choices" hidden={!box.isOpen}>
        {box.isOpen &&
          box.choices.map((choice, index) => (
            <Option
              key={choice.value}
              id={`${id}-${index}`}
              isActive={index === box.active}
              point={() => box.point(index)}
              pick={() => box.pick(choice)}
            >
              <span class="label">{choice.label}</span>
              {choice.detail !== undefined && <span class="detail">{choice.detail}</span>}
            </Option>
          ))}
        {box.isOpen && box.choices.length === 0 && (
          <div class="option none" role="option" aria-disabled="true" aria-selected="false">
            {box.isBusy ? 'Searching …' : 'Nothing matches'}
          </div>
        )}
      </div>
      <span class="hidden" role="status">
        {box.isOpen && !box.isBusy ? counted(box.choices.length, 'match') : ''}
      </span>
    </>
  )
}

/** One whose value is in the address, in the place of a `QueryInput`. */
export function QueryCombobox({ name, ...props }: Omit<ComboboxProps, 'value' | 'change'> & { readonly name: string }) {
  return (
    <Combobox
      {...props}
      value={query.value.get(name) ?? ''}
      change={(value) => setQuery({ [name]: value, iterator: null }, 'replace')}
    />
  )
}

/** One of a form, in the place of a `Field`. */
export function ComboboxField({
  name,
  value: given = '',
  ...props
}: Omit<ComboboxProps, 'value' | 'change'> & { readonly name: string; readonly value?: string }) {
  const [value, change] = useState(given)
  return (
    <>
      <Combobox {...props} value={value} change={change} />
      <input type="hidden" name={name} value={value} />
    </>
  )
}
