import { useId, useState } from 'preact/hooks'

interface Series {
  readonly name: string
  /** A class that says the colour. */
  readonly tone: string
  /** Null where nothing is known. */
  readonly values: readonly (number | null)[]
}

interface ChartProps {
  readonly title: string
  /** The one sentence that the chart is there to say. */
  readonly summary: string
  readonly times: readonly string[]
  readonly series: readonly Series[]
  readonly kind: 'bars' | 'lines'
  readonly show: (value: number) => string
  /** The top of the scale, if it is given by nature. */
  readonly top?: number
}

const height = 100

/** A chart drawn by hand, with the exact numbers under the pointer and in a table behind it. */
export function Chart(props: ChartProps) {
  const { title, summary, times, series, kind, show } = props
  const titleId = useId()
  const [pointed, setPointed] = useState<number | null>(null)
  const top = props.top ?? niceTop(highest(series, kind))
  const at = pointed === null ? undefined : times[pointed]
  return (
    <figure class="chart" aria-labelledby={titleId}>
      <figcaption>
        <h2 id={titleId}>{title}</h2>
        <p>{at === undefined || pointed === null ? summary : `${at}: ${readout(series, pointed, show)}`}</p>
      </figcaption>
      <div class="plot">
        <span class="top">{show(top)}</span>
        <svg
          viewBox={`0 0 ${times.length} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title}: ${summary}`}
          onPointerMove={(event) => setPointed(indexUnder(event, times.length))}
          onPointerLeave={() => setPointed(null)}
        >
          <path class="grid" d={`M0 .5H${times.length}M0 ${height / 2}H${times.length}`} />
          {pointed !== null && <rect class="pointed" x={pointed} y={0} width={1} height={height} />}
          {kind === 'bars' ? (
            <Bars series={series} length={times.length} top={top} />
          ) : (
            series.map((each) => <Line key={each.name} series={each} top={top} />)
          )}
        </svg>
      </div>
      <div class="times" aria-hidden="true">
        <span>{times[0]}</span>
        <span>{times[Math.floor(times.length / 2)]}</span>
        <span>{times.at(-1)}</span>
      </div>
      <div class="behind">
        <ul class="legend">
          {series.map(({ name, tone }) => (
            <li key={name}>
              <svg class={`swatch ${tone}`} viewBox="0 0 10 10" aria-hidden="true">
                {kind === 'bars' ? <rect width="10" height="10" rx="2" /> : <path d="M0 5h10" />}
              </svg>
              {name}
            </li>
          ))}
        </ul>
        <Numbers {...props} />
      </div>
    </figure>
  )
}

function Bars({ series, length, top }: { series: readonly Series[]; length: number; top: number }) {
  const gap = length > 100 ? 0.1 : 0.22
  return Array.from({ length }, (_, index) => {
    let below = 0
    return series.map(({ name, tone, values }) => {
      const size = ((values[index] ?? 0) / top) * height
      below += size
      return (
        size > 0 && (
          <rect
            key={`${name}${index}`}
            class={tone}
            x={index + gap / 2}
            y={height - below}
            width={1 - gap}
            height={size}
          />
        )
      )
    })
  })
}

/** A line that breaks where nothing is known, rather than claim a value. */
function Line({ series, top }: { series: Series; top: number }) {
  let pen = 'M'
  let path = ''
  for (const [index, value] of series.values.entries()) {
    if (value === null) pen = 'M'
    else {
      const y = height - (Math.min(value, top) / top) * (height - 2) - 1
      // A lone point is a short stroke, or it would not be seen.
      path += pen === 'M' ? `M${index + 0.3} ${y}L${index + 0.7} ${y}` : `L${index + 0.5} ${y}`
      pen = 'L'
    }
  }
  return <path class={`line ${series.tone}`} d={path} />
}

function Numbers({ title, times, series, show }: ChartProps) {
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
                  <th scope="row">{time}</th>
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

function highest(series: readonly Series[], kind: 'bars' | 'lines'): number {
  const length = series[0]?.values.length ?? 0
  const at = (index: number): number[] => series.map(({ values }) => values[index] ?? 0)
  return Array.from({ length }, (_, index) =>
    kind === 'bars' ? at(index).reduce((sum, value) => sum + value, 0) : Math.max(...at(index)),
  ).reduce((most, value) => Math.max(most, value), 0)
}

/** The next round number above. */
function niceTop(value: number): number {
  if (value <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((factor) => factor * power).find((nice) => nice >= value) ?? value
}

function indexUnder(event: PointerEvent, length: number): number | null {
  if (!(event.currentTarget instanceof Element)) return null
  const { left, width } = event.currentTarget.getBoundingClientRect()
  return Math.min(length - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * length)))
}

function readout(series: readonly Series[], index: number, show: (value: number) => string): string {
  return series.map(({ name, values }) => `${name} ${shown(values[index], show)}`).join(', ')
}

function shown(value: number | null | undefined, show: (value: number) => string): string {
  return value === null || value === undefined ? '–' : show(value)
}
