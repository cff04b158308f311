import type { CommandOptions, Terminal } from './command.ts'

/** Data, as JSON if that was asked for, else as text. */
export function print(
  { output }: Pick<Terminal, 'output'>,
  { json }: CommandOptions,
  data: unknown,
  text: () => string,
): void {
  output.write(`${json === true ? JSON.stringify(data) : text()}\n`)
}
