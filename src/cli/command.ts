import { expected } from '../core/errors.ts'

/** A command of the command line. It returns its exit code; only `main` ends the process. */
export interface Command {
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  readonly help: string
  readonly options: Readonly<Record<string, Option>>
  /** Its arguments, as the usage shows them: `<id>` is required, `[id…]` optional and repeatable. */
  readonly takes?: readonly string[]
  run(options: CommandOptions, terminal: Terminal, given: readonly string[]): Promise<number>
}

/** A command with subcommands: `posthorn dlq retry`. */
export interface CommandGroup {
  readonly name: string
  readonly summary: string
  readonly commands: readonly Command[]
}

export interface Option {
  readonly type: 'string' | 'boolean'
  readonly multiple?: boolean
  /** The placeholder for its value in the help; absent for flags. */
  readonly value?: string
  readonly sentence?: string
  /** The only valid values, if they are known here. */
  readonly choices?: readonly string[]
}

export type CommandOptions = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>

/** What a command reads and writes: data goes to `output`, messages for people through `say`. */
export interface Terminal {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  /** Where messages go: progress is drawn there if it is a terminal. */
  readonly messages: NodeJS.WriteStream
  say(text: string): void
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP. */
  readonly interrupted: AbortSignal
  /** What Ctrl-C does in a command that reads keys itself. */
  interrupt(): void
}

/** Exit codes. Ctrl-C ends a command with 130, as in shells. */
export const exit = { ok: 0, error: 1, usage: 2, partial: 3, interrupted: 130 } as const

/** The value of a text option. */
export function textOption(options: CommandOptions, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

/** The value of a numeric option. */
export function numberOption(options: CommandOptions, name: string): number | undefined {
  const text = textOption(options, name)
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value)) return value
  throw expected('invalid_argument', name, 'a number', text)
}

/** The values of an option that may be repeated, or contain commas. */
export function listOption(options: CommandOptions, name: string): string[] | undefined {
  const value = options[name]
  if (!Array.isArray(value)) return undefined
  return value.flatMap((part) => String(part).split(',')).filter((part) => part !== '')
}
