import { pino } from 'pino'
import type { LineLevel } from '../../config/settings/logs.ts'
import type { Clock } from '../../core/ports/ports.ts'
import { isoTime } from '../../core/time.ts'
import { LineLimit } from './line-limit.ts'
import { textLine } from './text-line.ts'

export type Fields = Readonly<Record<string, string | number | null>>

/** The log of a process: one line per event. The library only emits; commands write here. */
export interface Log {
  /** Whether lines of this level are written at all, so that nobody needs to listen for others. */
  isOn(level: LineLevel): boolean
  /** `fields` is called only if the line is written. */
  write(level: LineLevel, event: string, fields: () => Fields): void
  /** Reports dropped lines, and leaves no timer. */
  close(): void
}

export interface LogOptions {
  readonly level: string
  readonly format: 'json' | 'text'
  readonly clock: Clock
  /** Takes one line, with its line feed. */
  write(line: string): void
}

/** The most lines per event and second: a storm of failures must not fill a disk. */
export const mostLinesPerSecond = 20

export function makeLog({ level: least, format, clock, write }: LogOptions): Log {
  const logger = pino(
    {
      level: least,
      base: null,
      timestamp: () => `,"time":"${isoTime(clock.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: format === 'json' ? write : (line) => write(textLine(line)) },
  )
  const limit = new LineLimit(clock, mostLinesPerSecond, ({ level, event, count }) => {
    const msg = `… ${count.toLocaleString('en')} more ${event} in the last second`
    logger[level]({ event, suppressed: count, msg })
  })
  return {
    isOn: (level) => logger.isLevelEnabled(level),
    write(level, event, fields) {
      if (logger.isLevelEnabled(level) && limit.admits(level, event)) logger[level]({ event, ...fields() })
    },
    close: () => limit.close(),
  }
}
