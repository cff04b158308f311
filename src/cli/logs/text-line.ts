import { printable } from '../view/text.ts'

/** A log line for people: time, level, event and sentence, then the fields that have a value. */
export function textLine(json: string): string {
  const { time, level, event, msg, ...fields } = JSON.parse(json) as Record<string, string | number | null>
  const pairs = Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [`${name}=${shown(value)}`]))
  const parts = [String(time), String(level).padEnd(5), String(event), ...(msg === undefined ? [] : [String(msg)])]
  return `${printable([...parts, ...pairs].join(' '))}\n`
}

function shown(value: string | number): string {
  const text = String(value)
  return /[\s"=]/.test(text) ? JSON.stringify(text) : text
}
