import { useId, useState } from 'preact/hooks'
import { labelPlaces, ticksUpTo } from './axis.ts'
import { Bars, height, Line } from './marks.tsx'
import { Numbers } from './numbers.tsx'
import { highest, isEmptyAt, shown, unmeasured } from './series.ts'
import type { ChartKind, Series } from './series.ts'
import { go } from '../../state/router.ts'

interface ChartProps {
  readonly title: string
  /** The message of the chart in one sentence. */
  readonly summary: string
  readonly times: readonly string[]
  readonly series: readonly Series[]
  readonly kind: ChartKind
  readonly show: (value: number) => string
  /** The top of the scale, if it is fixed. */
  readonly top?: number
  /** Where a click on each bucket leads; null if there is nothing to see. */
  readonly links?: readonly (string | null)[]
}

/** A chart with axes, the exact values at the pointer, and all values as a table. */
export function Chart(props: ChartProps) {
  const { title, summary, times, series, kind, show } = props
  const titleId = useId()
  const ticks = ticksUpTo(highest(series, kind), props.top)
  return (
    <figure class="chart" aria-labelledby={titleId}>
      <figcaption>
        <h3 id={titleId}>{title}</h3>
        <p>{summary}</p>
      </figcaption>
      <div class="plot">
        <div class="values" aria-hidden="true">
          {ticks.toReversed().map((tick) => (
            <span key={tick}>{show(tick)}</span>
          ))}
        </div>
        <Plot {...props} ticks={ticks} />
        <div class="times" aria-hidden="true">
          {labelPlaces(times.length).map((place) => (
            <span key={place}>{times[place]}</span>
          ))}
        </div>
      </div>
      <div class="behind">
        <Legend series={series} kind={kind} />
        <Numbers title={title} times={times} series={series} show={show} links={props.links} />
      </div>
    </figure>
  )
}

function Plot({ ticks, ...props }: ChartProps & { readonly ticks: readonly number[] }) {
  const { title, summary, times, series, kind, links } = props
  const [pointed, setPointed] = useState<number | null>(null)
  const top = ticks.at(-1) ?? 1
  const to = pointed === null ? null : (links?.[pointed] ?? null)
  return (
    <div
      class="drawing"
      onPointerMove={(event) => setPointed(indexUnder(event, times.length))}
      onPointerLeave={() => setPointed(null)}
    >
      <svg
        class={to === null ? undefined : 'leads'}
        viewBox={`0 0 ${times.length} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${summary}`}
        onClick={() => to !== null && go(to)}
      >
        <Unmeasured length={unmeasured(series)} />
        <path class="grid" d={ticks.map((tick) => `M0 ${gridLine(tick, top)}H${times.length}`).join('')} />
        {pointed !== null && <rect class="pointed" x={pointed} y={0} width={1} height={height} />}
        {kind === 'bars' ? (
          <Bars series={series} length={times.length} top={top} />
        ) : (
          series.map((each) => <Line key={each.name} series={each} top={top} />)
        )}
      </svg>
      {pointed !== null && <Values {...props} index={pointed} />}
    </div>
  )
}

/** Time without measurements is marked as such, and not drawn as zero. */
function Unmeasured({ length }: { length: number }) {
  return length > 0 && <rect class="unmeasured" x={0} y={0} width={length} height={height} />
}

function gridLine(tick: number, top: number): number {
  return height - (tick / top) * (height - 1) - 0.5
}

/** The exact values of one bucket, in the half of the chart where the pointer is not. */
function Values({ times, series, show, links, index }: ChartProps & { readonly index: number }) {
  const isEmpty = isEmptyAt(series, index)
  return (
    <div class={index >= times.length / 2 ? 'pointed-values left' : 'pointed-values'} aria-hidden="true">
      <strong>{times[index]}</strong>
      {isEmpty && <span class="muted">{index < unmeasured(series) ? 'nothing recorded' : 'nothing happened'}</span>}
      {!isEmpty &&
        series.map(({ name, tone, values }) => (
          <span key={name}>
            <svg class={`swatch ${tone}`} viewBox="0 0 10 10">
              <rect width="10" height="10" rx="2" />
            </svg>
            {name} <b>{shown(values[index], show)}</b>
          </span>
        ))}
      {!isEmpty && links !== undefined && <span class="muted">click for its deliveries</span>}
    </div>
  )
}

function Legend({ series, kind }: Pick<ChartProps, 'series' | 'kind'>) {
  return (
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
  )
}

function indexUnder(event: PointerEvent, length: number): number | null {
  if (!(event.currentTarget instanceof Element)) return null
  const { left, width } = event.currentTarget.getBoundingClientRect()
  return Math.min(length - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * length)))
}
