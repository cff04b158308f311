import { exit } from '../../command.ts'
import type { Command, Family } from '../../command.ts'
import { pageOptions, pageQuery } from '../../operator/filters.ts'
import { operatorCommand } from '../../operator/operator-command.ts'
import type { JobAnswer, Listed } from '../../operator/answers.ts'
import { segment } from '../../operator/operator.ts'
import { columns, pairs } from '../../view/columns.ts'
import { stepLine } from '../../view/progress.ts'
import { watchJob } from '../../operator/watch-job.ts'

export const jobs: Family = {
  name: 'jobs',
  summary: 'bulk work: how far it is; pause, resume, cancel, watch',
  commands: [
    operatorCommand({
      name: 'jobs ls',
      summary: 'lists bulk jobs, newest first',
      options: pageOptions,
      async run({ operator, options, show }) {
        const page = await operator.ask<Listed<JobAnswer>>('GET', '/job', { query: pageQuery(options) })
        show(page, () => columns(['JOB', 'CREATED', 'ACTION', 'STATE', 'PROGRESS', 'BY'], page.data.map((job) => [job.id, job.createdAt, job.action, job.state, stepLine(job), job.actor])))
        return exit.ok
      },
    }),
    operatorCommand({
      name: 'jobs get',
      summary: 'shows a job',
      takes: ['<id>'],
      async run({ operator, given: [id = ''], show }) {
        const job = await operator.ask<JobAnswer>('GET', `/job/${segment(id)}`)
        show(job, () => jobText(job))
        return exit.ok
      },
    }),
    change('pause', 'stops a job for now'),
    change('resume', 'lets a paused job go on'),
    change('cancel', 'ends a job for good; what it has done stays done'),
    operatorCommand({
      name: 'jobs watch',
      summary: 'follows a job to its end; Ctrl-C ends only the watching',
      takes: ['<id>'],
      async run({ operator, given: [id = ''], terminal, options }) {
        return watchJob(operator, await operator.ask<JobAnswer>('GET', `/job/${segment(id)}`), terminal, options['json'] === true)
      },
    }),
  ],
}

function change(action: 'pause' | 'resume' | 'cancel', summary: string): Command {
  return operatorCommand({
    name: `jobs ${action}`,
    summary,
    takes: ['<id>'],
    async run({ operator, given: [id = ''], show }) {
      const job = await operator.ask<JobAnswer>('POST', `/job/${segment(id)}/${action}`)
      show(job, () => jobText(job))
      return exit.ok
    },
  })
}

function jobText(job: JobAnswer): string {
  return pairs([['job', job.id], ['state', job.state], ['progress', stepLine(job)], ['by', job.actor], ['created', job.createdAt]])
}
