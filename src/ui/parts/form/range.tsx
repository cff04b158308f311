import { useState } from 'preact/hooks'
import { address, query, setQuery } from '../../state/router.ts'
import { Segments } from './segments.tsx'

// In the address as they are: a saved view means the last hour whenever it is opened.
const ranges = [
  ['15min', '15 min'],
  ['1h', '1 h'],
  ['24h', '24 h'],
  ['7d', '7 d'],
] as const

/** When something was created: one of a few ranges up to now, or a custom one. */
export function RangePicker() {
  const [since, until] = [address.value.get('since') ?? '', address.value.get('until') ?? '']
  const [isCustom, setCustom] = useState(false)
  const quick = until === '' ? ranges.find(([value]) => value === since)?.[0] : undefined
  const chosen = quick ?? (isCustom || since !== '' || until !== '' ? 'custom' : '')

  function choose(value: string): void {
    setCustom(value === 'custom')
    // A custom range starts with the one that was shown.
    if (value === 'custom') setQuery({ since: query.value.get('since'), iterator: null }, 'replace')
    else setQuery({ since: value, until: null, iterator: null }, 'replace')
  }

  return (
    <>
      <Segments
        legend="Created within"
        name="range"
        options={[['', 'Any time'], ...ranges, ['custom', 'Custom']]}
        chosen={chosen}
        choose={choose}
      />
      {chosen === 'custom' && (
        <div class="line">
          <Moment name="since" label="Created since" />
          <Moment name="until" label="Created until" />
        </div>
      )}
    </>
  )
}

/** A time in the reader's zone; the address has it in UTC, so that it means the same to everybody. */
function Moment({ name, label }: { name: 'since' | 'until'; label: string }) {
  const given = query.value.get(name)
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="datetime-local"
        value={given === null ? '' : localMinute(given)}
        onChange={({ currentTarget: { value } }) =>
          setQuery({ [name]: value === '' ? null : new Date(value).toISOString(), iterator: null }, 'replace')
        }
      />
    </label>
  )
}

/** The format of the values of a `datetime-local` input. */
function localMinute(at: string): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
