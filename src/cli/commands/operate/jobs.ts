import { exit } from '../../command.ts'
import type { Command, CommandGroup } from '../../command.ts'
import { pageOptions, pageQuery } from '../../http-api/filters.ts'
import { apiCommand } from '../../http-api/api-command.ts'
import type { JobResponse, Listed } from '../../http-api/responses.ts'
import { pathSegment } from '../../http-api/api-client.ts'
import { columns, pairs } from '../../view/columns.ts'
import { stepLine } from '../../view/progress.ts'
import { watchJob } from '../../http-api/watch-job.ts'

export const jobs: CommandGroup = {
  name: 'jobs',
  summary: 'bulk work: show progress, pause, resume, cancel, watch',
  commands: [
    apiCommand({
      name: 'jobs ls',
      summary: 'lists bulk jobs, newest first',
      options: pageOptions,
      async run({ client, options, show }) {
        const page = await client.request<Listed<JobResponse>>('GET', '/job', { query: pageQuery(options) })
        show(page, (screen) =>
          columns(
            ['JOB', 'CREATED', 'ACTION', 'STATE', 'PROGRESS', 'BY'],
            page.data.map((job) => [job.id, job.createdAt, job.action, job.state, stepLine(job), job.actor]),
            screen,
          ),
        )
        return exit.ok
      },
    }),
    apiCommand({
      name: 'jobs get',
      summary: 'shows a job',
      takes: ['<id>'],
      async run({ client, given: [id = ''], show }) {
        const job = await client.request<JobResponse>('GET', `/job/${pathSegment(id)}`)
        show(job, () => jobText(job))
        return exit.ok
      },
    }),
    change('pause', 'stops a job for now'),
    change('resume', 'continues a paused job'),
    change('cancel', 'ends a job for good; what it has done stays done'),
    apiCommand({
      name: 'jobs watch',
      summary: 'follows a job to its end; Ctrl-C only stops watching',
      takes: ['<id>'],
      async run({ client, given: [id = ''], terminal, options }) {
        return watchJob(client, await client.request<JobResponse>('GET', `/job/${pathSegment(id)}`), {
          terminal,
          json: options['json'] === true,
        })
      },
    }),
  ],
}

function change(action: 'pause' | 'resume' | 'cancel', summary: string): Command {
  return apiCommand({
    name: `jobs ${action}`,
    summary,
    takes: ['<id>'],
    async run({ client, given: [id = ''], show }) {
      const job = await client.request<JobResponse>('POST', `/job/${pathSegment(id)}/${action}`)
      show(job, () => jobText(job))
      return exit.ok
    },
  })
}

function jobText(job: JobResponse): string {
  return pairs([
    ['job', job.id],
    ['state', job.state],
    ['progress', stepLine(job)],
    ['by', job.actor],
    ['created', job.createdAt],
  ])
}
