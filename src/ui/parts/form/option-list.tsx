import { useEffect, useRef } from 'preact/hooks'
import type { ComponentChildren } from 'preact'

interface OptionProps {
  readonly id: string
  readonly isActive: boolean
  readonly pick: () => void
  readonly point: () => void
  readonly children: ComponentChildren
}

/** One row of a list of choices. The focus stays in the field, whose `aria-activedescendant` names the active row. */
export function Option({ id, isActive, pick, point, children }: OptionProps) {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isActive) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isActive])
  return (
    <div
      ref={row}
      id={id}
      role="option"
      aria-selected={isActive}
      class="option"
      onPointerMove={point}
      // The field must not lose the focus before the click.
      onPointerDown={(event) => event.preventDefault()}
      onClick={pick}
    >
      {children}
    </div>
  )
}

/** The row that a key leads to, wrapping around; null if the key does not move. */
export function moved(key: string, active: number, length: number): number | null {
  if (length === 0) return null
  switch (key) {
    case 'ArrowDown':
      return (active + 1) % length
    case 'ArrowUp':
      return active <= 0 ? length - 1 : active - 1
    case 'PageDown':
      return Math.min(length - 1, active + 8)
    case 'PageUp':
      return Math.max(0, active - 8)
    default:
      return null
  }
}
