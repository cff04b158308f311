import { Writable } from 'node:stream'
import { runCommandLine } from '../../src/cli/command-line.ts'

/** What a command has said when it has ended. */
export interface Ran {
  readonly code: number
  readonly lines: readonly string[]
  readonly stderr: string
}

/**
 * Runs a command to its end in this process, with nothing of its settings, because to start a program for each takes longer than most commands do.
 * One at a time: the environment belongs to the process. What signals, pipes and exits do is for `startProgram`.
 */
export async function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const [output, messages] = [written(), written()]
  const terminal = {
    input: process.stdin,
    output: output.stream,
    messages: messages.stream,
    say: (text: string) => void messages.stream.write(`${text}\n`),
    interrupted: new AbortController().signal,
    interrupt: () => undefined,
  }
  const own = process.env
  process.env = { PATH: own['PATH'], ...environment }
  try {
    const code = await runCommandLine(args, terminal)
    return { code, lines: output.text().split('\n').slice(0, -1), stderr: messages.text() }
  } finally {
    process.env = own
  }
}

function written(): { stream: NodeJS.WriteStream; text(): string } {
  let text = ''
  const stream = new Writable({ write: (chunk, _, done) => ((text += String(chunk)), done()) })
  return {
    stream: Object.assign(stream, { isTTY: false, columns: 80 }) as unknown as NodeJS.WriteStream,
    text: () => text,
  }
}
