import { href } from '../../state/router.ts'

export interface CounterProps {
  readonly name: string
  readonly value: string
  readonly under: string
  readonly to?: string
  readonly tone?: string
}

/** A number with its name; zero is muted. */
export function Counter({ name, value, under, to, tone = '' }: CounterProps) {
  return (
    <li class={value === '0' || value === '–' ? 'none' : tone}>
      <span class="name">{to === undefined ? name : <a href={href(to)}>{name}</a>}</span>
      <span class="value">{value}</span>
      <span class="under">{under}</span>
    </li>
  )
}
