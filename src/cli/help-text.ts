import type { Option } from './command.ts'

/** The help of a command: usage, purpose, options and examples, from the same table that parses arguments. */
export function helpText({ usage, text = [], options = {}, examples = [] }: HelpParts): string {
  const flags = Object.entries(options).map(
    ([name, { value, sentence = '' }]) => [`--${name}${value === undefined ? '' : ` <${value}>`}`, sentence] as const,
  )
  const width = Math.max(0, ...flags.map(([flag]) => flag.length)) + 2
  return [
    `Usage: posthorn ${usage}`,
    ...(text.length === 0 ? [] : ['', ...text]),
    ...(flags.length === 0 ? [] : ['', ...flags.map(([flag, sentence]) => `  ${flag.padEnd(width)}${sentence}`)]),
    ...(examples.length === 0 ? [] : ['', 'Examples:', ...examples.map((example) => `  ${example}`)]),
  ].join('\n')
}

interface HelpParts {
  readonly usage: string
  readonly text?: readonly string[]
  readonly options?: Readonly<Record<string, Option>>
  readonly examples?: readonly string[]
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
