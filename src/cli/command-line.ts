import { checkTlsIsChecked, unknownVariables } from '../config/environment.ts'
import { messageOf, PosthornError } from '../core/errors.ts'
import { version } from '../version.ts'
import { exit } from './command.ts'
import type { Terminal } from './command.ts'
import { parseCommandLine } from './parse.ts'

/** Runs the command that the arguments name, and returns its exit code. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  const parsed = parseCommandLine(args, version)
  switch (parsed.kind) {
    case 'text':
      terminal.output.write(`${parsed.text}\n`)
      return exit.ok
    case 'refusal':
      terminal.say(parsed.text)
      return exit.usage
    case 'command':
      for (const sentence of unknownVariables()) terminal.say(`warning: ${sentence}`)
      try {
        checkTlsIsChecked()
        return await parsed.command.run(parsed.options, terminal, parsed.given)
      } catch (thrown) {
        return explain(thrown, terminal)
      }
  }
}

/** Our own errors say what to do. Anything else is a defect, and its stack says where. */
function explain(thrown: unknown, { say }: Terminal): number {
  const isOurs = thrown instanceof PosthornError
  say(`posthorn: ${isOurs || !(thrown instanceof Error) ? messageOf(thrown) : (thrown.stack ?? thrown.message)}`)
  return isOurs && thrown.code === 'not_found' ? exit.partial : exit.error
}
