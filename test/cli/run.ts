import { EventEmitter, once } from 'node:events'
import { Writable } from 'node:stream'
import { runCommandLine } from '../../src/cli/command-line.ts'
import type { Terminal } from '../../src/cli/command.ts'

/** What a command has said when it has ended. */
export interface Ran {
  readonly code: number
  readonly lines: readonly string[]
  readonly stderr: string
}

/** A command that goes on until it is stopped. */
export interface Running {
  /** The line that it was waited for. */
  readonly line: string
  /** As the first signal does; answers with the exit code. */
  stop(): Promise<number>
}

/**
 * Runs a command to its end in this process, with nothing of its settings, because to start a program for each takes longer than most commands do.
 * One at a time: the environment belongs to the process. What signals, pipes and exits do is for `startProgram`.
 */
export async function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const [output, messages] = [written(), written()]
  const code = await withEnvironment(environment, () =>
    runCommandLine(args, terminalOn(output.stream, messages.stream)),
  )
  return { code, lines: output.text().split('\n').slice(0, -1), stderr: messages.text() }
}

/** The same for a command that does not end by itself. Its environment is its own until it has said the line. */
export async function start(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  line: RegExp,
): Promise<Running> {
  const [output, messages] = [written(), written()]
  const interruption = new AbortController()
  // The sources run in this thread only: one of its own would load them as they are.
  return withEnvironment({ POSTHORN_ENGINE_THREAD: '0', ...environment }, async () => {
    const ended = runCommandLine(args, terminalOn(output.stream, messages.stream, interruption.signal))
    const endedTooSoon = ended.then((code): never => {
      throw new Error(
        `The command ended with ${code} before it said ${String(line)}:\n${output.text()}${messages.text()}`,
      )
    })
    return {
      line: await Promise.race([output.says(line), endedTooSoon]),
      stop() {
        interruption.abort()
        return ended
      },
    }
  })
}

function terminalOn(
  output: NodeJS.WriteStream,
  messages: NodeJS.WriteStream,
  interrupted: AbortSignal = new AbortController().signal,
): Terminal {
  return {
    input: process.stdin,
    output,
    messages,
    say: (text) => void messages.write(`${text}\n`),
    interrupted,
    interrupt: () => undefined,
  }
}

async function withEnvironment<Result>(
  environment: Readonly<Record<string, string>>,
  work: () => Promise<Result>,
): Promise<Result> {
  const own = process.env
  process.env = { PATH: own['PATH'], ...environment }
  try {
    return await work()
  } finally {
    process.env = own
  }
}

function written(): { stream: NodeJS.WriteStream; text(): string; says(pattern: RegExp): Promise<string> } {
  const lines = new EventEmitter()
  let text = ''
  const stream = new Writable({
    write(chunk, _, done) {
      text += String(chunk)
      lines.emit('more')
      done()
    },
  })
  return {
    stream: Object.assign(stream, { isTTY: false, columns: 80 }) as unknown as NodeJS.WriteStream,
    text: () => text,
    async says(pattern) {
      for (;;) {
        const line = text
          .split('\n')
          .slice(0, -1)
          .find((one) => pattern.test(one))
        if (line !== undefined) return line
        await once(lines, 'more')
      }
    },
  }
}
