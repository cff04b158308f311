import { systemClock } from '../../../clock.ts'
import { exit, textOption } from '../../command.ts'
import type { CommandGroup, CommandOptions } from '../../command.ts'
import { apiCommand } from '../../http-api/api-command.ts'
import type { ApiCall } from '../../http-api/api-command.ts'
import { applyImport } from '../../import/apply.ts'
import type { Counts, Imported } from '../../import/apply.ts'
import { ourResources } from '../../import/our-resources.ts'
import { planImport, uidOf } from '../../import/plan.ts'
import type { SvixExport } from '../../import/svix-export.ts'
import { readSecret } from '../../read-file.ts'
import { printable } from '../../view/text.ts'

export const importFrom: CommandGroup = {
  name: 'import',
  summary: 'imports applications, endpoints and event types',
  commands: [
    apiCommand({
      name: 'import svix',
      summary: 'imports applications, endpoints with secrets and headers, and event types from a Svix server',
      text: [
        'Reads everything first, and writes nothing if a uid is already in use here. Run it again whenever you like: what',
        'has changed in Svix since is changed here, the rest is left alone. What cannot be imported is listed.',
      ],
      options: {
        url: { type: 'string', value: 'url', sentence: 'the Svix server, such as https://api.eu.svix.com' },
        token: { type: 'string', value: 'token', sentence: 'a Svix API token that can read secrets' },
        'token-file': {
          type: 'string',
          value: 'path',
          sentence: 'the file with the token, if others can see the command line',
        },
        'dry-run': { type: 'boolean', sentence: 'shows what would be done, and changes nothing' },
      },
      examples: ['import svix --url https://api.eu.svix.com --token-file svix-token --dry-run'],
      run: importSvix,
    }),
  ],
}

async function importSvix(call: ApiCall): Promise<number> {
  const { options, terminal } = call
  const url = textOption(options, 'url')
  const token = tokenIn(options)
  if (url === undefined || token === undefined) {
    terminal.say('posthorn import svix: expected --url and --token or --token-file, got less.')
    return exit.usage
  }
  // Loaded only now, because it includes a validator.
  const { exportSvix } = await import('../../import/svix-export.ts')
  const { svixApi } = await import('../../import/svix-api.ts')
  const signal = terminal.interrupted
  const exported = await exportSvix(svixApi({ url, token, clock: systemClock, signal })).catch((thrown: unknown) => {
    if (signal.aborted) return null
    throw thrown
  })
  if (exported === null) {
    terminal.say('Interrupted. Nothing was imported yet.')
    return exit.interrupted
  }
  if (exported.applications.length + exported.eventTypes.length > 0) return importAll(exported, call)
  terminal.say(`There is nothing to import at ${url}: no applications and no event types. Is it the right token?`)
  return exit.partial
}

async function importAll(exported: SvixExport, { client, options, terminal, show }: ApiCall): Promise<number> {
  const plan = planImport(exported, await ourResources(client, new Set(exported.applications.map(uidOf))))
  if (plan.collisions.length > 0) {
    terminal.say(
      `Nothing was imported, because these names are in use here:\n${listOf(plan.collisions)}\nGive one of each pair another uid, and import again.`,
    )
    return exit.error
  }
  const isDry = options['dry-run'] === true
  const imported = await applyImport(plan, client, { isDry, signal: terminal.interrupted })
  show({ ...imported, dryRun: isDry }, () => reportOf(imported, isDry))
  if (imported.isWhole) return imported.notTaken.length === 0 ? exit.ok : exit.partial
  terminal.say('Interrupted. Run the same command again to continue.')
  return exit.interrupted
}

function tokenIn(options: CommandOptions): string | undefined {
  const path = textOption(options, 'token-file')
  return path === undefined ? textOption(options, 'token') : readSecret(path, 'token-file')
}

function reportOf({ created, changed, unchanged, notTaken }: Imported, isDry: boolean): string {
  const would = isDry ? 'would be ' : ''
  const lines = [
    `${would}created: ${countsOf(created)}`,
    `${would}changed: ${countsOf(changed)}`,
    `unchanged: ${unchanged}`,
  ]
  if (notTaken.length > 0) lines.push('not taken:', listOf(notTaken.map(({ what, why }) => `${what}: ${why}`)))
  return lines.join('\n')
}

function countsOf({ applications, endpoints, eventTypes }: Counts): string {
  return `${applications} applications, ${endpoints} endpoints, ${eventTypes} event types`
}

function listOf(lines: readonly string[]): string {
  return lines.map((line) => `  ${printable(line)}`).join('\n')
}
