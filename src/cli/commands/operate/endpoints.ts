import { isAnyId } from '../../../core/ids.ts'
import { exit, listOption, textOption } from '../../command.ts'
import type { Command, CommandOptions, Family, Option } from '../../command.ts'
import { pageOptions, pageQuery } from '../../operator/filters.ts'
import { operatorCommand, readSecret } from '../../operator/operator-command.ts'
import type { EndpointAnswer, Listed } from '../../operator/answers.ts'
import { segment } from '../../operator/operator.ts'
import type { Operator } from '../../operator/operator.ts'
import { columns, pairs } from '../../view/columns.ts'

const application: Option = { type: 'string', value: 'id', sentence: 'the application; needed if the endpoint is named by its uid' }
const settings: Readonly<Record<string, Option>> = {
  uid: { type: 'string', value: 'name', sentence: 'your own name for it' },
  description: { type: 'string', value: 'text', sentence: 'what it is for' },
  type: { type: 'string', multiple: true, value: 'type', sentence: 'only these event types, such as invoice.*; may be repeated' },
  channel: { type: 'string', multiple: true, value: 'name', sentence: 'only these channels; may be repeated' },
  rate: { type: 'string', value: 'n', sentence: 'at most so many requests per second' },
  policy: { type: 'string', value: 'name', sentence: 'the retry policy, such as standard or patient' },
}
const secretFile: Option = { type: 'string', value: 'path', sentence: 'the file with the secret; a new one is made unless given' }

const effects = {
  pause: 'collects deliveries for an endpoint without sending them',
  resume: 'sends again what a paused endpoint has collected',
  enable: 'lets a disabled endpoint get messages again',
  disable: 'lets an endpoint get nothing new, and sends it nothing',
} as const

export const endpoints: Family = {
  name: 'endpoints',
  summary: 'the URLs that get webhooks: list, create, pause, rotate secrets, test',
  commands: [
    operatorCommand({
      name: 'endpoints ls',
      summary: 'lists endpoints with their health',
      options: {
        application: { type: 'string', value: 'id', sentence: 'only those of this application' },
        text: { type: 'string', value: 'text', sentence: 'only those with this in their URL, name or description' },
        ...pageOptions,
      },
      async run({ operator, options, show, terminal }) {
        const query = { application: textOption(options, 'application'), text: textOption(options, 'text'), ...pageQuery(options) }
        const page = await operator.ask<Listed<EndpointAnswer>>('GET', '/endpoint', { query })
        show(page, () => endpointTable(page.data))
        if (options['json'] !== true && !page.done && page.iterator !== null) terminal.say(`There are more: --iterator ${page.iterator}`)
        return exit.ok
      },
    }),
    operatorCommand({
      name: 'endpoints get',
      summary: 'shows an endpoint, and says how it fares',
      takes: ['<endpoint>'],
      options: { application },
      async run({ operator, options, given: [name = ''], show }) {
        const { id } = await named(operator, name, options)
        const endpoint = await operator.ask<EndpointAnswer>('GET', `/endpoint/${segment(id)}`)
        show(endpoint, () => endpointText(endpoint))
        return exit.ok
      },
    }),
    operatorCommand({
      name: 'endpoints create',
      summary: 'makes an endpoint, and prints its secret for the receiver',
      takes: ['<url>'],
      options: { application: { ...application, sentence: 'whose it is; made if there is none of this uid' }, ...settings, 'secret-file': secretFile },
      examples: ['endpoints create https://acme.example/hooks --application acme --type "invoice.*"'],
      run: async ({ operator, options, given: [url = ''], show, terminal }) => {
        const owner = textOption(options, 'application')
        if (owner === undefined) {
          terminal.say('posthorn endpoints create: expected --application, got nothing.')
          return exit.usage
        }
        // As `send` of the library does: an application is made on first use.
        if (!isAnyId(owner)) await operator.ask('POST', '/app', { query: { get_if_exists: 'true' }, body: { name: owner, uid: owner } })
        const base = `/app/${segment(owner)}/endpoint`
        const made = await operator.ask<{ id: string; url: string }>('POST', base, { body: { url, ...settingsIn(options), secret: secretIn(options) } })
        const { key } = await operator.ask<{ key: string }>('GET', `${base}/${made.id}/secret`)
        show({ ...made, secret: key }, () => pairs([['endpoint', made.id], ['url', made.url], ['secret', key]]))
        return exit.ok
      },
    }),
    operatorCommand({
      name: 'endpoints update',
      summary: 'changes what is given; the next attempt uses it',
      takes: ['<endpoint>'],
      options: { application, url: { type: 'string', value: 'url', sentence: 'where it leads to' }, ...settings },
      async run({ operator, options, given: [name = ''], show }) {
        const { path, id } = await named(operator, name, options)
        const changed = await operator.ask<object>('PATCH', path, { body: { url: textOption(options, 'url'), ...settingsIn(options) } })
        show(changed, () => `updated ${id}`)
        return exit.ok
      },
    }),
    ...(['pause', 'resume', 'enable', 'disable'] as const).map(statusCommand),
    operatorCommand({
      name: 'endpoints delete',
      summary: 'deletes an endpoint; what is on its way to it ends dead',
      takes: ['<endpoint>'],
      options: { application },
      async run({ operator, options, given: [name = ''], show }) {
        const { path, id } = await named(operator, name, options)
        await operator.ask('DELETE', path)
        show({ id, deleted: true }, () => `deleted ${id}`)
        return exit.ok
      },
    }),
    operatorCommand({
      name: 'endpoints rotate',
      summary: 'gives an endpoint a new secret and prints it; the old one stays valid for a while',
      takes: ['<endpoint>'],
      options: { application, 'secret-file': secretFile, overlap: { type: 'string', value: 'seconds', sentence: 'how long the old one stays valid; a day unless given' } },
      async run({ operator, options, given: [name = ''], show }) {
        const { path, id } = await named(operator, name, options)
        const overlap = textOption(options, 'overlap')
        const { key } = await operator.ask<{ key: string }>('POST', `${path}/secret/rotate`, { body: { key: secretIn(options), gracePeriodSeconds: overlap === undefined ? undefined : Number(overlap) } })
        show({ id, secret: key }, () => pairs([['endpoint', id], ['secret', key]]))
        return exit.ok
      },
    }),
    operatorCommand({
      name: 'endpoints test',
      summary: 'sends an endpoint an example, whatever its filters say',
      takes: ['<endpoint>'],
      options: { application, type: { type: 'string', value: 'type', sentence: 'the event type, "posthorn.test" unless given' } },
      async run({ operator, options, given: [name = ''], show }) {
        const { path } = await named(operator, name, options)
        const message = await operator.ask<{ id: string }>('POST', `${path}/send-example`, { body: { eventType: textOption(options, 'type') ?? 'posthorn.test' } })
        show(message, () => `sent ${message.id}; what comes of it: posthorn deliveries ls --message ${message.id}`)
        return exit.ok
      },
    }),
  ],
}

function statusCommand(action: keyof typeof effects): Command {
  return operatorCommand({
    name: `endpoints ${action}`,
    summary: effects[action],
    takes: ['<endpoint>'],
    options: { application, reason: { type: 'string', value: 'text', sentence: 'why, for whoever looks at it later' } },
    async run({ operator, options, given: [name = ''], show }) {
      const { path } = await named(operator, name, options)
      const endpoint = await operator.ask<EndpointAnswer>('POST', `${path}/${action}`, { body: { reason: textOption(options, 'reason') } })
      show(endpoint, () => `${endpoint.id} is ${endpoint.status}`)
      return exit.ok
    },
  })
}

/** An endpoint by its id; by its uid together with its application. */
async function named(operator: Operator, name: string, options: CommandOptions): Promise<{ id: string; path: string }> {
  const owner = textOption(options, 'application')
  if (owner !== undefined) {
    const path = `/app/${segment(owner)}/endpoint/${segment(name)}`
    const { id } = await operator.ask<{ id: string }>('GET', path)
    return { id, path }
  }
  const { id, applicationId } = await operator.ask<EndpointAnswer>('GET', `/endpoint/${segment(name)}`)
  return { id, path: `/app/${applicationId}/endpoint/${id}` }
}

function settingsIn(options: CommandOptions): Record<string, unknown> {
  const rate = textOption(options, 'rate')
  return {
    uid: textOption(options, 'uid'),
    description: textOption(options, 'description'),
    eventTypes: listOption(options, 'type'),
    channels: listOption(options, 'channel'),
    throttleRate: rate === undefined ? undefined : Number(rate),
    policy: textOption(options, 'policy'),
  }
}

function secretIn(options: CommandOptions): string | undefined {
  const path = textOption(options, 'secret-file')
  return path === undefined ? undefined : readSecret(path, 'secret-file')
}

function endpointTable(data: readonly EndpointAnswer[]): string {
  const rows = data.map(({ id, applicationUid, applicationId, url, health, backlog, backlogAtLeast, types }) => [
    id, applicationUid ?? applicationId, health.state, `${backlog}${backlogAtLeast ? '+' : ''}`, types?.join(',') ?? 'all', url,
  ])
  return columns(['ENDPOINT', 'APPLICATION', 'HEALTH', 'BACKLOG', 'TYPES', 'URL'], rows)
}

function endpointText(endpoint: EndpointAnswer): string {
  const { id, uid, applicationUid, applicationId, url, description, status, health, types, policy, lastSuccessAt, backlog, backlogAtLeast, createdAt } = endpoint
  return pairs([
    ['endpoint', id],
    ['uid', uid],
    ['application', applicationUid ?? applicationId],
    ['url', url],
    ['description', description === '' ? null : description],
    ['status', status],
    ['health', health.sentence],
    ['backlog', `${backlog}${backlogAtLeast ? ' or more' : ''}`],
    ['last success', lastSuccessAt ?? 'none yet'],
    ['types', types?.join(', ') ?? 'all'],
    ['policy', policy],
    ['created', createdAt],
  ])
}
