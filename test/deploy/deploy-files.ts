import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../cli/built.ts'

export function deployFile(path: string): string {
  return readFileSync(join(root, 'deploy', path), 'utf8')
}

/** All files of deploy/, by their paths. */
export function deployFiles(): string[] {
  return readdirSync(join(root, 'deploy'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, 'deploy').length + 1))
}

/** What the services of the compose file run, in their order: `{ server: ['serve', '--no-worker'], … }`. */
export function composeCommands(): Record<string, string[]> {
  const text = deployFile('docker/compose.yml')
  const ofWorker = commandIn(/^x-worker: &worker\n((?: .*\n)+)/m.exec(text)?.[1] ?? '')
  const services = [...text.slice(text.indexOf('\nservices:\n')).matchAll(/^ {2}([\w-]+):(.*)\n((?: {4}.*\n|\n)*)/gm)]
  return Object.fromEntries(
    services.flatMap(([, name = '', alias = '', body = '']) => {
      const command = alias.includes('*worker') ? ofWorker : commandIn(body)
      return command.length === 0 ? [] : [[name, command]]
    }),
  )
}

function commandIn(body: string): string[] {
  const list = /^ *command: \[(.*)\]$/m.exec(body)?.[1]
  return list === undefined ? [] : list.split(', ')
}
