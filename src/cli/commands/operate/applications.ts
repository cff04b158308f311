import { exit, numberOption, textOption } from '../../command.ts'
import type { CommandGroup } from '../../command.ts'
import { apiCommand } from '../../http-api/api-command.ts'
import { pathSegment } from '../../http-api/api-client.ts'
import { pageOptions, pageQuery } from '../../http-api/filters.ts'
import type { ApplicationResponse, JobResponse, Listed } from '../../http-api/responses.ts'
import { watchJob } from '../../http-api/watch-job.ts'
import { columns, pairs } from '../../view/columns.ts'

const why = { type: 'string', value: 'text', sentence: 'why, for the audit log' } as const

export const applications: CommandGroup = {
  name: 'applications',
  summary: 'the customers whose endpoints get webhooks: list, create, erase one with all its data',
  commands: [
    apiCommand({
      name: 'applications ls',
      summary: 'lists applications, oldest first',
      options: pageOptions,
      async run({ client, options, show, terminal }) {
        const page = await client.request<Listed<ApplicationResponse>>('GET', '/app', { query: pageQuery(options) })
        const rows = page.data.map(({ id, uid, name, createdAt }) => [id, uid ?? '-', name, createdAt])
        show(page, (screen) => columns(['APPLICATION', 'UID', 'NAME', 'CREATED'], rows, screen))
        if (options['json'] !== true && !page.done && page.iterator !== null)
          terminal.say(`There are more: --iterator ${page.iterator}`)
        return exit.ok
      },
    }),
    apiCommand({
      name: 'applications get',
      summary: 'shows an application',
      takes: ['<application>'],
      async run({ client, given: [name = ''], show }) {
        const application = await client.request<ApplicationResponse>('GET', `/app/${pathSegment(name)}`)
        show(application, () => applicationText(application))
        return exit.ok
      },
    }),
    apiCommand({
      name: 'applications create',
      summary: 'creates an application',
      takes: ['<name>'],
      options: {
        uid: { type: 'string', value: 'name', sentence: 'your own name for it, such as the id of the customer' },
        rate: { type: 'string', value: 'n', sentence: 'the most requests per second to all its endpoints together' },
      },
      examples: ['applications create "Acme Ltd" --uid acme'],
      async run({ client, options, given: [name = ''], show }) {
        const application = await client.request<ApplicationResponse>('POST', '/app', {
          body: { name, uid: textOption(options, 'uid'), throttleRate: numberOption(options, 'rate') },
        })
        show(application, () => applicationText(application))
        return exit.ok
      },
    }),
    apiCommand({
      name: 'applications erase',
      summary: 'deletes an application and erases all its data: payloads, attempts, endpoints, secrets, keys',
      takes: ['<application>'],
      text: [
        'From then on none of its data is shown, and its open deliveries end dead. This cannot be undone.',
        'Runs as a stored job, which continues after a crash. Ctrl-C stops watching, not the job.',
        'Audit entries about it are kept. Given an id, it also erases the remains of an application deleted before.',
      ],
      options: { yes: { type: 'boolean', sentence: 'confirms it; without it nothing is done' }, why },
      examples: ['applications erase acme --yes --why "the customer asked for it"'],
      async run({ client, options, given: [name = ''], terminal }) {
        if (options['yes'] !== true) {
          terminal.say(
            `posthorn applications erase: expected --yes, because an erasure cannot be undone; got none. Nothing was done to ${name}.`,
          )
          return exit.usage
        }
        const body = { reason: textOption(options, 'why') }
        const job = await client.request<JobResponse>('POST', `/app/${pathSegment(name)}/erase`, { body })
        return watchJob(client, job, { terminal, json: options['json'] === true })
      },
    }),
  ],
}

function applicationText({ id, uid, name, throttleRate, createdAt }: ApplicationResponse): string {
  return pairs([
    ['application', id],
    ['uid', uid],
    ['name', name],
    ['rate limit', throttleRate === null ? null : `${throttleRate} per second`],
    ['created', createdAt],
  ])
}
