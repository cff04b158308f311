import { exit, textOption } from '../../command.ts'
import type { CommandGroup } from '../../command.ts'
import { pageOptions, pageQuery } from '../../http-api/filters.ts'
import { apiCommand } from '../../http-api/api-command.ts'
import type { KeyResponse, Listed, SessionResponse } from '../../http-api/responses.ts'
import { pathSegment } from '../../http-api/api-client.ts'
import { columns } from '../../view/columns.ts'

export const keys: CommandGroup = {
  name: 'keys',
  summary: 'keys of the HTTP API: create, list, revoke; sessions of browsers: list, end',
  commands: [
    apiCommand({
      name: 'keys ls',
      summary: 'lists the keys that are valid now, without their tokens',
      options: pageOptions,
      async run({ client, options, show }) {
        const page = await client.request<Listed<KeyResponse>>('GET', '/key', { query: pageQuery(options) })
        const rows = page.data.map(({ id, name, access, appId, hint, createdAt, expiresAt }) => [
          id,
          name,
          access,
          appId ?? 'all',
          `${hint}…`,
          createdAt,
          expiresAt ?? 'never',
        ])
        show(page, (screen) =>
          columns(['KEY', 'NAME', 'ACCESS', 'APPLICATION', 'TOKEN', 'CREATED', 'EXPIRES'], rows, screen),
        )
        return exit.ok
      },
    }),
    apiCommand({
      name: 'keys create',
      summary: 'creates a key and prints its token, which is shown only once',
      takes: ['<name>'],
      options: {
        application: {
          type: 'string',
          value: 'id',
          sentence: 'for this application only (default: for all, and the server itself)',
        },
        'read-only': { type: 'boolean', sentence: 'allows only reading' },
        expires: {
          type: 'string',
          value: 'time',
          sentence: 'until when it is valid, such as 2027-01-31T12:00Z (default: for ever)',
        },
      },
      examples: ['keys create ci --application acme --read-only'],
      async run({ client, options, given: [name = ''], show, terminal }) {
        const body = {
          name,
          appId: textOption(options, 'application'),
          access: options['read-only'] === true ? 'read' : 'write',
          expiresAt: textOption(options, 'expires'),
        }
        const key = await client.request<KeyResponse & { token: string }>('POST', '/key', { body })
        show(key, () => key.token)
        if (options['json'] !== true) terminal.say(`Key ${key.id}. Keep the token: it is shown only now.`)
        return exit.ok
      },
    }),
    apiCommand({
      name: 'keys revoke',
      summary: 'revokes a key everywhere, within five seconds',
      takes: ['<id>'],
      async run({ client, given: [id = ''], show }) {
        await client.request('DELETE', `/key/${pathSegment(id)}`)
        show({ id, revoked: true }, () => `revoked ${id}`)
        return exit.ok
      },
    }),
    apiCommand({
      name: 'keys sessions',
      summary: 'lists the browsers that are signed in, and with which key',
      options: pageOptions,
      async run({ client, options, show }) {
        const page = await client.request<Listed<SessionResponse>>('GET', '/session/list', {
          query: pageQuery(options),
        })
        const rows = page.data.map(({ id, name, keyId, appId, access, from, createdAt }) => [
          id,
          keyId,
          name,
          access,
          appId ?? 'all',
          from ?? '',
          createdAt,
        ])
        show(page, (screen) =>
          columns(['SESSION', 'KEY', 'NAME', 'ACCESS', 'APPLICATION', 'FROM', 'SIGNED IN'], rows, screen),
        )
        return exit.ok
      },
    }),
    apiCommand({
      name: 'keys sign-out',
      summary: 'ends all sessions of a key, everywhere; the key itself stays valid',
      takes: ['<id>'],
      async run({ client, given: [keyId = ''], show }) {
        const body = { keyId }
        const { ended } = await client.request<{ ended: number }>('POST', '/session/sign-out-everywhere', { body })
        show({ keyId, ended }, () => `signed out ${ended} ${ended === 1 ? 'session' : 'sessions'} of ${keyId}`)
        return exit.ok
      },
    }),
  ],
}
