import type { ParseArgsConfig } from 'node:util'

/** One word of the command line. It returns its exit code; only `main` ends the process. */
export interface Command {
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  readonly help: string
  readonly options: NonNullable<ParseArgsConfig['options']>
  run(options: CommandOptions, terminal: Terminal): Promise<number>
}

export type CommandOptions = Readonly<Record<string, string | boolean | undefined>>

/** Where a command reads and writes: data on `output`, messages for people through `say`. */
export interface Terminal {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  say(text: string): void
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP. */
  readonly interrupted: AbortSignal
  /** What Ctrl-C does, for a command that reads keys itself. */
  interrupt(): void
}
