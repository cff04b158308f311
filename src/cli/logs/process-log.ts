import { systemClock } from '../../clock.ts'
import type { Settings } from '../../config/settings.ts'
import type { Terminal } from '../command.ts'
import { makeLog } from './log.ts'
import type { Log } from './log.ts'

/** The log of a command, as configured: on stderr, as text if that is a terminal. */
export function processLog(
  { logLevel, logFormat }: Pick<Settings, 'logLevel' | 'logFormat'>,
  { messages }: Pick<Terminal, 'messages'>,
  write: (line: string) => void = (line) => void messages.write(line),
): Log {
  const format = logFormat ?? (messages.isTTY ? 'text' : 'json')
  return makeLog({ level: logLevel, format: format === 'json' ? 'json' : 'text', clock: systemClock, write })
}
