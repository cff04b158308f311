import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { manualClock } from 'posthorn/testing'
import type { Terminal } from '../../src/cli/command.ts'
import type { JobResponse } from '../../src/cli/http-api/responses.ts'
import type { ApiClient } from '../../src/cli/http-api/api-client.ts'
import { progressOn } from '../../src/cli/view/progress.ts'
import { watchJob } from '../../src/cli/http-api/watch-job.ts'
import { PosthornError } from '../../src/core/errors.ts'

const job: JobResponse = {
  id: 'job_1',
  action: 'requeue',
  state: 'running',
  matching: 1000,
  done: 0,
  skipped: 0,
  ratePerSecond: null,
  etaSeconds: null,
  actor: 'maria',
  createdAt: '2026-01-01T00:00:00.000Z',
}

function screen(isTTY: boolean): { terminal: Terminal; written: string[]; interruption: AbortController } {
  const written: string[] = []
  const stream = Object.assign(new Writable({ write: (chunk, _, done) => (written.push(String(chunk)), done()) }), {
    isTTY,
    columns: 80,
  }) as unknown as NodeJS.WriteStream
  const interruption = new AbortController()
  const say = (text: string): void => void written.push(`${text}\n`)
  return {
    terminal: {
      input: process.stdin,
      output: stream,
      messages: stream,
      say,
      interrupted: interruption.signal,
      interrupt: () => interruption.abort(),
    },
    written,
    interruption,
  }
}

function away(): Promise<never> {
  return Promise.reject(new PosthornError('unreachable', 'It is away.'))
}

test('on a screen the progress is one bar that is drawn over itself, with rate and time left', () => {
  const { terminal, written } = screen(true)
  const progress = progressOn(terminal)
  progress.show(job)
  progress.show({ ...job, done: 500, ratePerSecond: 120, etaSeconds: 5 })
  progress.end()
  expect(written.join('')).toBe(
    `[${'-'.repeat(30)}] requeued 0 of 1000\r\x1b[K[${'#'.repeat(15)}${'-'.repeat(15)}] requeued 500 of 1000, 120 per second, 5 s left\r\x1b[K`,
  )
})

test('elsewhere each step is a line, and none is said twice', () => {
  const { terminal, written } = screen(false)
  const progress = progressOn(terminal)
  for (const done of [0, 0, 500]) progress.show({ ...job, done })
  progress.end()
  expect(written).toEqual(['requeued 0 of 1000\n', 'requeued 500 of 1000\n'])
})

test('a server that stays away for more than a minute is given up, with how to go on', async () => {
  const { terminal, written } = screen(false)
  const clock = manualClock()
  const client: ApiClient = {
    where: 'http://away',
    request: away,
    text: away,
    events: away,
    advance: async () => undefined,
    close: async () => undefined,
  }
  const watching = expect(watchJob(client, job, { terminal, json: false, clock })).rejects.toThrow(
    'It is away. Job job_1 is stored, and continues when it is back: posthorn jobs watch job_1',
  )
  let ended = false
  void watching.finally(() => (ended = true))
  while (!ended) {
    await clock.advance(1_000)
  }
  await watching
  expect(written).toEqual(['requeued 0 of 1000\n', 'http://away does not answer; asking again for 60 s.\n'])
})
