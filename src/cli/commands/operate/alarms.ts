import { exit, listOption, textOption } from '../../command.ts'
import type { CommandGroup } from '../../command.ts'
import { apiCommand } from '../../http-api/api-command.ts'
import { pathSegment } from '../../http-api/api-client.ts'
import type { AlarmResponse, AlarmTargetResponse } from '../../http-api/responses.ts'
import { columns } from '../../view/columns.ts'

export const alarms: CommandGroup = {
  name: 'alarms',
  summary: 'what is wrong now, and who is notified: list, acknowledge, test, targets',
  commands: [
    apiCommand({
      name: 'alarms ls',
      summary: 'lists the alarms that are raised now, pages first',
      async run({ client, show }) {
        const answer = await client.request<{ data: readonly AlarmResponse[] }>('GET', '/alarm')
        const rows = answer.data.map(({ id, severity, raisedAt, acknowledged, message }) => [
          severity,
          id,
          raisedAt,
          acknowledged?.by ?? '-',
          message,
        ])
        show(answer, (screen) =>
          rows.length === 0
            ? 'No alarm is raised.'
            : columns(['SEVERITY', 'ALARM', 'SINCE', 'ACKNOWLEDGED', 'MESSAGE'], rows, screen),
        )
        return exit.ok
      },
    }),
    apiCommand({
      name: 'alarms ack',
      summary: 'acknowledges an alarm; it stays raised',
      takes: ['<id>'],
      async run({ client, given: [id = ''], show }) {
        const alarm = await client.request<AlarmResponse>('POST', `/alarm/${pathSegment(id)}/acknowledge`)
        show(alarm, () => `acknowledged ${id}`)
        return exit.ok
      },
    }),
    apiCommand({
      name: 'alarms test',
      summary: 'sends a test to all targets',
      async run({ client, show }) {
        const answer = await client.request<{ targets: number }>('POST', '/alarm/test')
        show(answer, () =>
          answer.targets === 0
            ? 'There is no target. Add one with: posthorn alarms add <url>'
            : `A test is on its way to ${answer.targets} ${answer.targets === 1 ? 'target' : 'targets'}.`,
        )
        return answer.targets === 0 ? exit.partial : exit.ok
      },
    }),
    apiCommand({
      name: 'alarms targets',
      summary: 'lists the endpoints that get alarms',
      async run({ client, show }) {
        const answer = await client.request<{ data: readonly AlarmTargetResponse[] }>('GET', '/alarm/target')
        const rows = answer.data.map(({ id, shape, status, types, url }) => [
          id,
          shape,
          status,
          types?.join(',') ?? 'all',
          url,
        ])
        show(answer, (screen) => columns(['ENDPOINT', 'SHAPE', 'STATUS', 'TYPES', 'URL'], rows, screen))
        return exit.ok
      },
    }),
    apiCommand({
      name: 'alarms add',
      summary: 'adds an endpoint that gets alarms and other operational webhooks',
      takes: ['<url>'],
      options: {
        slack: { type: 'boolean', sentence: 'the URL is a Slack incoming webhook' },
        types: {
          type: 'string',
          multiple: true,
          value: 'types',
          sentence: 'only these, such as alarm.raised (default: all); may be repeated',
        },
        description: { type: 'string', value: 'text', sentence: 'what it is, for people' },
      },
      examples: [
        'alarms add https://hooks.slack.com/services/… --slack',
        "alarms add https://ops.example --types 'alarm.*'",
      ],
      async run({ client, options, given: [url = ''], show }) {
        const body = {
          url,
          shape: options['slack'] === true ? 'slack' : 'json',
          types: listOption(options, 'types'),
          description: textOption(options, 'description'),
        }
        const target = await client.request<AlarmTargetResponse>('POST', '/alarm/target', { body })
        show(target, () => target.id)
        return exit.ok
      },
    }),
    apiCommand({
      name: 'alarms rm',
      summary: 'removes an endpoint that gets alarms',
      takes: ['<id>'],
      async run({ client, given: [id = ''], show }) {
        await client.request('DELETE', `/alarm/target/${pathSegment(id)}`)
        show({ id, removed: true }, () => `removed ${id}`)
        return exit.ok
      },
    }),
  ],
}
