import { setQuery } from '../../state/router.ts'

/** A few alternatives side by side, of which one is chosen. */
export function Segments<Value extends string>({
  legend,
  name,
  options,
  chosen,
  choose,
}: {
  legend: string
  name: string
  options: readonly (readonly [value: Value, label: string])[]
  chosen: Value
  choose: (value: Value) => void
}) {
  return (
    <fieldset class="segments">
      <legend class="hidden">{legend}</legend>
      {options.map(([value, label]) => (
        <label key={value}>
          <input type="radio" name={name} value={value} checked={value === chosen} onChange={() => choose(value)} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** The range of the figures; it is in the address. */
export function Windows(props: { options: readonly (readonly [value: string, label: string])[]; chosen: string }) {
  return <Segments legend="Range" name="window" {...props} choose={(value) => setQuery({ window: value }, 'replace')} />
}
