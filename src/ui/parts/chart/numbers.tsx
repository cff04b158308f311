import { useState } from 'preact/hooks'
import { shown } from './series.ts'
import type { Series } from './series.ts'
import { href } from '../../state/router.ts'

interface NumbersProps {
  readonly title: string
  readonly times: readonly string[]
  readonly series: readonly Series[]
  readonly show: (value: number) => string
  readonly links: readonly (string | null)[] | undefined
}

/** The same as a table, for those who cannot see the chart or have no pointer. */
export function Numbers({ title, times, series, show, links }: NumbersProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Show as a table</summary>
      {isOpen && (
        <div class="scroll" tabIndex={0} role="region" aria-label={`${title} as a table`}>
          <table class="rows">
            <caption class="hidden">{title}</caption>
            <thead>
              <tr>
                <th scope="col">Time</th>
                {series.map(({ name }) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times.map((time, index) => (
                <tr key={index}>
                  <th scope="row">{link(time, links?.[index])}</th>
                  {series.map(({ name, values }) => (
                    <td key={name} class="number">
                      {shown(values[index], show)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  )
}

function link(text: string, to: string | null | undefined) {
  return to === null || to === undefined ? text : <a href={href(to)}>{text}</a>
}
