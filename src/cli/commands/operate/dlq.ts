import { exit } from '../../command.ts'
import type { CommandGroup } from '../../command.ts'
import { filterOptions, filterQuery, jobFilter, pageOptions, pageQuery } from '../../http-api/filters.ts'
import { apiCommand } from '../../http-api/api-command.ts'
import type { ApiCall } from '../../http-api/api-command.ts'
import type { DeliveryResponse, JobResponse, Listed } from '../../http-api/responses.ts'
import { watchJob } from '../../http-api/watch-job.ts'
import { deliveryTable } from './deliveries.ts'

const bulkOptions = {
  all: { type: 'boolean', sentence: 'all dead letters (that match, if a filter is given)' },
  'dry-run': { type: 'boolean', sentence: 'only counts them, exactly' },
  ...filterOptions,
  why: { type: 'string', value: 'text', sentence: 'why, for the audit log' },
} as const
const progressText = [
  'Runs as a stored job, which continues after a crash. Ctrl-C stops watching, not the job.',
  'A filter that matches nothing is not an error.',
]

export const dlq: CommandGroup = {
  name: 'dlq',
  summary: 'dead letters: list, retry, discard, one or a million',
  commands: [
    apiCommand({
      name: 'dlq ls',
      summary: 'lists dead letters, newest first',
      options: { ...filterOptions, ...pageOptions },
      async run({ client, options, show, terminal }) {
        const page = await client.request<Listed<DeliveryResponse>>('GET', '/delivery', {
          query: { ...filterQuery(options), ...pageQuery(options), status: 'dead' },
        })
        show(page, (screen) => (page.data.length === 0 ? 'no dead letters' : deliveryTable(page.data, screen)))
        if (options['json'] !== true && !page.done && page.iterator !== null)
          terminal.say(`There are more: --iterator ${page.iterator}`)
        return exit.ok
      },
    }),
    apiCommand({
      name: 'dlq retry',
      summary: 'sends dead letters again, within the limits of retries',
      takes: ['[id…]'],
      text: progressText,
      options: bulkOptions,
      examples: ['dlq retry --all --dry-run', 'dlq retry --endpoint ep_… --since 2h', 'dlq retry dlv_…'],
      run: (call) => bulk(call, 'requeue'),
    }),
    apiCommand({
      name: 'dlq discard',
      summary: 'discards dead letters for good: they count as cancelled',
      takes: ['[id…]'],
      text: progressText,
      options: bulkOptions,
      examples: ['dlq discard --endpoint ep_… --until 7d --why "customer left"'],
      run: (call) => bulk(call, 'cancel'),
    }),
  ],
}

/** Counts, or creates a job and follows it. */
async function bulk(
  { client, options, given, show, terminal }: ApiCall,
  action: 'requeue' | 'cancel',
): Promise<number> {
  const filter = jobFilter(options)
  if (given.length === 0 && Object.keys(filter).length === 0 && options['all'] !== true) {
    terminal.say(
      `posthorn dlq: expected which ones: ids, a filter such as --endpoint or --since, or --all; got nothing. --dry-run counts first.`,
    )
    return exit.usage
  }
  const reason = typeof options['why'] === 'string' ? { reason: options['why'] } : {}
  const work = { action, filter: { ...filter, status: 'dead', ...(given.length > 0 && { ids: given }) }, ...reason }
  if (options['dry-run'] === true) {
    const { matching } = await client.request<{ matching: number }>('POST', '/job', { body: { ...work, dryRun: true } })
    show({ matching }, () => `${matching} match`)
    return exit.ok
  }
  return watchJob(client, await client.request<JobResponse>('POST', '/job', { body: work }), {
    terminal,
    json: options['json'] === true,
  })
}
