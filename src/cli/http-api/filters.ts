import { systemClock } from '../../clock.ts'
import { deadReasons } from '../../core/delivery/delivery.ts'
import { expected } from '../../core/errors.ts'
import { day, hour, isoTime, minute, second } from '../../core/time.ts'
import { listOption, textOption } from '../command.ts'
import type { CommandOptions, Option } from '../command.ts'
import type { Query } from './api-client.ts'

/** Options that select deliveries. */
export const filterOptions: Readonly<Record<string, Option>> = {
  endpoint: { type: 'string', value: 'id', sentence: 'only those to this endpoint' },
  application: { type: 'string', value: 'id', sentence: 'only those of this application, by id or uid' },
  type: { type: 'string', value: 'type', sentence: 'only those of this event type' },
  message: { type: 'string', value: 'id', sentence: 'only those of this message' },
  reason: {
    type: 'string',
    value: 'word',
    choices: deadReasons,
    sentence: 'only dead letters with this reason: exhausted, cancelled, expired, crashed, gone',
  },
  since: {
    type: 'string',
    value: 'time',
    sentence: 'only what was created since: 2026-01-31T12:00Z, or 2h, 30m, 7d ago',
  },
  until: { type: 'string', value: 'time', sentence: 'only what was created before' },
}

/** Options that page through a list. */
export const pageOptions: Readonly<Record<string, Option>> = {
  limit: { type: 'string', value: 'n', sentence: 'how many at most, up to 250 (default: 50)' },
  iterator: { type: 'string', value: 'text', sentence: 'continues where the last page ended' },
}

export function pageQuery(options: CommandOptions): Query {
  return { limit: textOption(options, 'limit'), iterator: textOption(options, 'iterator') }
}

/** The filter in the form of a list query. */
export function filterQuery(options: CommandOptions): Query {
  const { type, ...rest } = chosen(options)
  return { ...rest, event_type: type, status: listOption(options, 'status') }
}

/** The filter in the form of a job; options not given are absent. */
export function jobFilter(options: CommandOptions): Record<string, string> {
  const { type, ...rest } = chosen(options)
  return Object.fromEntries(
    Object.entries({ ...rest, eventType: type }).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** A time given by a person, in the form of the API. */
export function timeOf(text: string, name: string): string {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const at =
    count !== undefined && unit !== undefined
      ? systemClock.now() - Number(count) * (unitsMs[unit] ?? 0)
      : Date.parse(text)
  if (Number.isFinite(at)) return isoTime(at)
  throw expected('invalid_argument', name, 'a time, such as 2026-01-31T12:00Z, or how long ago: 30s, 15m, 2h, 7d', text)
}

const unitsMs: Readonly<Record<string, number>> = { s: second, m: minute, h: hour, d: day }

function chosen(
  options: CommandOptions,
): Record<'endpoint' | 'application' | 'type' | 'message' | 'reason' | 'since' | 'until', string | undefined> {
  const text = (name: string): string | undefined => textOption(options, name)
  const time = (name: string): string | undefined => {
    const given = text(name)
    return given === undefined ? undefined : timeOf(given, name)
  }
  return {
    endpoint: text('endpoint'),
    application: text('application'),
    type: text('type'),
    message: text('message'),
    reason: text('reason'),
    since: time('since'),
    until: time('until'),
  }
}
