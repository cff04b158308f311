import type { CommandGroup } from './command.ts'
import { commands, sections } from './command-table.ts'
import { capitalized } from './help-text.ts'

/** The help of `posthorn` itself: every command by section, examples, exit codes. */
export function overviewHelp(): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 2
  return [
    'Posthorn delivers webhooks: signed, retried, dead-lettered, recovered after any restart.',
    '',
    'Usage: posthorn <command> [options]',
    ...sections.flatMap((section) => [
      '',
      `${section.title}:`,
      ...section.commands.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`),
    ]),
    '',
    'Examples:',
    '  posthorn dev                                     look at it; needs nothing',
    '  posthorn send invoice.paid --application acme --data \'{"id":7}\'',
    '  posthorn deliveries get dlv_…                    says in one sentence why it waits',
    '  posthorn dlq retry --all --dry-run               counts first',
    '',
    'Commands for operators open the database that POSTHORN_DATABASE_URL or --database names, or call a server:',
    '--server URL with POSTHORN_KEY. Data goes to stdout (JSON with --json), messages to stderr.',
    'Exit codes: 0 ok, 1 error, 2 usage, 3 not found or only partly done. posthorn <command> --help says more.',
  ].join('\n')
}

export function groupHelp({ name, summary, commands: members }: CommandGroup): string {
  const lines = members.map((command) => [[command.name, ...(command.takes ?? [])].join(' '), command.summary] as const)
  const width = Math.max(...lines.map(([usage]) => usage.length)) + 2
  return [
    `Usage: posthorn ${name} <command> [options]`,
    '',
    `${capitalized(summary)}:`,
    '',
    ...lines.map(([usage, text]) => `  ${usage.padEnd(width)}${text}`),
    '',
    `posthorn ${name} <command> --help says more.`,
  ].join('\n')
}
