/** Shapes in a 16-unit square; each state has its own, because not everybody sees colours. */
const shapes = {
  check: 'M3.5 8.5l3 3 6-7',
  retry: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
  cross: 'M4 4l8 8M12 4l-8 8',
  dots: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  broken: 'M8 2.5v6M8 12.5h.01',
  stop: 'M3.8 12.2l8.4-8.4M8 2.2a5.8 5.8 0 1 0 0 11.6 5.8 5.8 0 0 0 0-11.6',
  flight: 'M2.5 8h10M9 4l4 4-4 4',
  copy: 'M5.5 5.5h7v8h-7zM3.5 10.5v-8h7',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  play: 'M5 3.5v9l7.5-4.5z',
  search: 'M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9M10.300 10.300l3.200 3.200',
  chevron: 'M6 3.5l4.5 4.5L6 12.5',
} as const

export type IconName = keyof typeof shapes

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={shapes[name]} />
    </svg>
  )
}

export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <circle cx="13" cy="18" r="7" />
      <path d="M3 11h17.500l8.500-5v14l-8.500-5.200" />
    </svg>
  )
}
