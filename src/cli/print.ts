import type { CommandOptions, Terminal } from './command.ts'
import { screenOf } from './view/paint.ts'
import type { Screen } from './view/paint.ts'

/** Prints data, as JSON if requested, otherwise as text. */
export function print(
  { output }: Pick<Terminal, 'output'>,
  { json }: CommandOptions,
  data: unknown,
  text: (screen: Screen) => string,
): void {
  output.write(`${json === true ? JSON.stringify(data) : text(screenOf(output))}\n`)
}
