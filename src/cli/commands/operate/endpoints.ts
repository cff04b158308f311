import { isAnyId } from '../../../core/ids.ts'
import { exit, listOption, numberOption, textOption } from '../../command.ts'
import type { Command, CommandOptions, CommandGroup, Option } from '../../command.ts'
import { pageOptions, pageQuery } from '../../http-api/filters.ts'
import { apiCommand } from '../../http-api/api-command.ts'
import { readSecret } from '../../read-file.ts'
import type { EndpointResponse, Listed } from '../../http-api/responses.ts'
import { pathSegment } from '../../http-api/api-client.ts'
import type { ApiClient } from '../../http-api/api-client.ts'
import { authenticationIn, authenticationOptions } from './authentication.ts'
import { columns, pairs } from '../../view/columns.ts'
import type { Screen } from '../../view/paint.ts'
import { filterIn, filterOption, headerOption, headersIn } from './endpoint-flags.ts'

const application: Option = {
  type: 'string',
  value: 'id',
  sentence: 'the application; needed if the endpoint is named by its uid',
}
const settings: Readonly<Record<string, Option>> = {
  uid: { type: 'string', value: 'name', sentence: 'your own name for it' },
  description: { type: 'string', value: 'text', sentence: 'what it is for' },
  type: {
    type: 'string',
    multiple: true,
    value: 'type',
    sentence: 'only these event types, such as invoice.*; may be repeated',
  },
  channel: { type: 'string', multiple: true, value: 'name', sentence: 'only these channels; may be repeated' },
  rate: { type: 'string', value: 'n', sentence: 'the most requests per second' },
  policy: { type: 'string', value: 'name', sentence: 'the retry policy, such as standard or patient' },
  filter: filterOption,
  ...authenticationOptions,
}
const secretFile: Option = {
  type: 'string',
  value: 'path',
  sentence: 'the file with the secret (default: a new one is created)',
}

const effects = {
  pause: 'collects deliveries for an endpoint without sending them',
  resume: 'sends again what a paused endpoint has collected',
  enable: 'lets a disabled endpoint get messages again',
  disable: 'lets an endpoint get nothing new, and sends it nothing',
} as const

export const endpoints: CommandGroup = {
  name: 'endpoints',
  summary: 'the URLs that get webhooks: list, create, pause, rotate secrets, test',
  commands: [
    apiCommand({
      name: 'endpoints ls',
      summary: 'lists endpoints with their health',
      options: {
        application: { type: 'string', value: 'id', sentence: 'only those of this application' },
        text: { type: 'string', value: 'text', sentence: 'only those with this in their URL, name or description' },
        ...pageOptions,
      },
      async run({ client, options, show, terminal }) {
        const query = {
          application: textOption(options, 'application'),
          text: textOption(options, 'text'),
          ...pageQuery(options),
        }
        const page = await client.request<Listed<EndpointResponse>>('GET', '/endpoint', { query })
        show(page, (screen) => endpointTable(page.data, screen))
        if (options['json'] !== true && !page.done && page.iterator !== null)
          terminal.say(`There are more: --iterator ${page.iterator}`)
        return exit.ok
      },
    }),
    apiCommand({
      name: 'endpoints get',
      summary: 'shows an endpoint, and says in one sentence how healthy it is',
      takes: ['<endpoint>'],
      options: { application },
      async run({ client, options, given: [name = ''], show }) {
        const { id } = await named(client, name, options)
        const endpoint = await client.request<EndpointResponse>('GET', `/endpoint/${pathSegment(id)}`)
        show(endpoint, () => endpointText(endpoint))
        return exit.ok
      },
    }),
    apiCommand({
      name: 'endpoints create',
      summary: 'creates an endpoint, and prints its secret for the receiver',
      takes: ['<url>'],
      options: {
        application: { ...application, sentence: 'its owner; created if there is none with this uid' },
        ...settings,
        header: headerOption,
        'secret-file': secretFile,
      },
      examples: [
        'endpoints create https://acme.example/hooks --application acme --type "invoice.*"',
        `endpoints create https://acme.example/hooks --application acme --header "x-team: billing" --filter '{"path":"data.region","equals":"eu"}'`,
        'endpoints create https://acme.example/hooks --application acme --auth basic:posthorn:password.txt',
      ],
      run: async ({ client, options, given: [url = ''], show, terminal }) => {
        const owner = textOption(options, 'application')
        if (owner === undefined) {
          terminal.say('posthorn endpoints create: expected --application, got nothing.')
          return exit.usage
        }
        // As in the library's `send`, an application is created on first use.
        if (!isAnyId(owner))
          await client.request('POST', '/app', { query: { get_if_exists: 'true' }, body: { name: owner, uid: owner } })
        const base = `/app/${pathSegment(owner)}/endpoint`
        const created = await client.request<{ id: string; url: string }>('POST', base, {
          body: { url, ...settingsIn(options), headers: headersIn(options), secret: secretIn(options) },
        })
        const { key } = await client.request<{ key: string }>('GET', `${base}/${created.id}/secret`)
        show({ ...created, secret: key }, () =>
          pairs([
            ['endpoint', created.id],
            ['url', created.url],
            ['secret', key],
          ]),
        )
        return exit.ok
      },
    }),
    apiCommand({
      name: 'endpoints update',
      summary: 'changes the given settings, from the next attempt on',
      takes: ['<endpoint>'],
      options: { application, url: { type: 'string', value: 'url', sentence: 'its new URL' }, ...settings },
      async run({ client, options, given: [name = ''], show }) {
        const { path, id } = await named(client, name, options)
        const changed = await client.request<object>('PATCH', path, {
          body: { url: textOption(options, 'url'), ...settingsIn(options) },
        })
        show(changed, () => `updated ${id}`)
        return exit.ok
      },
    }),
    ...(['pause', 'resume', 'enable', 'disable'] as const).map(statusCommand),
    apiCommand({
      name: 'endpoints delete',
      summary: 'deletes an endpoint; its open deliveries end dead',
      takes: ['<endpoint>'],
      options: { application },
      async run({ client, options, given: [name = ''], show }) {
        const { path, id } = await named(client, name, options)
        await client.request('DELETE', path)
        show({ id, deleted: true }, () => `deleted ${id}`)
        return exit.ok
      },
    }),
    apiCommand({
      name: 'endpoints rotate',
      summary: 'gives an endpoint a new secret and prints it; the old one stays valid for a while',
      takes: ['<endpoint>'],
      options: {
        application,
        'secret-file': secretFile,
        overlap: {
          type: 'string',
          value: 'seconds',
          sentence: 'how long the old one stays valid (default: 86400, a day)',
        },
      },
      async run({ client, options, given: [name = ''], show }) {
        const { path, id } = await named(client, name, options)
        const { key } = await client.request<{ key: string }>('POST', `${path}/secret/rotate`, {
          body: { key: secretIn(options), gracePeriodSeconds: numberOption(options, 'overlap') },
        })
        show({ id, secret: key }, () =>
          pairs([
            ['endpoint', id],
            ['secret', key],
          ]),
        )
        return exit.ok
      },
    }),
    apiCommand({
      name: 'endpoints test',
      summary: 'sends an example to an endpoint, regardless of its filters',
      takes: ['<endpoint>'],
      options: {
        application,
        type: { type: 'string', value: 'type', sentence: 'the event type (default: posthorn.test)' },
      },
      async run({ client, options, given: [name = ''], show }) {
        const { path } = await named(client, name, options)
        const message = await client.request<{ id: string }>('POST', `${path}/send-example`, {
          body: { eventType: textOption(options, 'type') ?? 'posthorn.test' },
        })
        show(message, () => `sent ${message.id}; what comes of it: posthorn deliveries ls --message ${message.id}`)
        return exit.ok
      },
    }),
  ],
}

function statusCommand(action: keyof typeof effects): Command {
  return apiCommand({
    name: `endpoints ${action}`,
    summary: effects[action],
    takes: ['<endpoint>'],
    options: { application, reason: { type: 'string', value: 'text', sentence: 'why, for the audit log' } },
    async run({ client, options, given: [name = ''], show }) {
      const { path } = await named(client, name, options)
      const endpoint = await client.request<EndpointResponse>('POST', `${path}/${action}`, {
        body: { reason: textOption(options, 'reason') },
      })
      show(endpoint, () => `${endpoint.id} is ${endpoint.status}`)
      return exit.ok
    },
  })
}

/** An endpoint by its id, or by its uid together with its application. */
async function named(client: ApiClient, name: string, options: CommandOptions): Promise<{ id: string; path: string }> {
  const owner = textOption(options, 'application')
  if (owner !== undefined) {
    const path = `/app/${pathSegment(owner)}/endpoint/${pathSegment(name)}`
    const { id } = await client.request<{ id: string }>('GET', path)
    return { id, path }
  }
  const { id, applicationId } = await client.request<EndpointResponse>('GET', `/endpoint/${pathSegment(name)}`)
  return { id, path: `/app/${applicationId}/endpoint/${id}` }
}

function settingsIn(options: CommandOptions): Record<string, unknown> {
  return {
    uid: textOption(options, 'uid'),
    description: textOption(options, 'description'),
    eventTypes: listOption(options, 'type'),
    channels: listOption(options, 'channel'),
    throttleRate: numberOption(options, 'rate'),
    policy: textOption(options, 'policy'),
    filter: filterIn(options),
    authentication: authenticationIn(options),
  }
}

function secretIn(options: CommandOptions): string | undefined {
  const path = textOption(options, 'secret-file')
  return path === undefined ? undefined : readSecret(path, 'secret-file')
}

function endpointTable(data: readonly EndpointResponse[], screen: Screen): string {
  const rows = data.map(({ id, applicationUid, applicationId, url, health, backlog, backlogAtLeast, types }) => [
    id,
    applicationUid ?? applicationId,
    health.state,
    `${backlog}${backlogAtLeast ? '+' : ''}`,
    types?.join(',') ?? 'all',
    url,
  ])
  return columns(['ENDPOINT', 'APPLICATION', 'HEALTH', 'BACKLOG', 'TYPES', 'URL'], rows, screen)
}

function endpointText(endpoint: EndpointResponse): string {
  const {
    id,
    uid,
    applicationUid,
    applicationId,
    url,
    description,
    status,
    health,
    types,
    policy,
    authentication,
    lastSuccessAt,
    backlog,
    backlogAtLeast,
    createdAt,
  } = endpoint
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
    ['authentication', authentication === undefined ? null : Object.keys(authentication ?? {}).join(', ') || 'none'],
    ['created', createdAt],
  ])
}
