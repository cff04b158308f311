import { expect, test } from 'vitest'
import { lastHours, mergedGroups, wellnessOf } from '../../src/core/ports/figures.ts'
import type { DeadLetterGroup } from '../../src/core/ports/figures.ts'
import { bucketsOf } from '../../src/core/ports/overview.ts'
import { progressOf } from '../../src/core/delivery/job.ts'
import type { Job } from '../../src/core/delivery/job.ts'
import { healthy } from '../../src/core/endpoint/health.ts'
import type { Health } from '../../src/core/endpoint/health.ts'
import { hour, minute } from '../../src/core/time.ts'
import { anEndpoint } from './examples.ts'

const now = Date.UTC(2026, 0, 2, 12, 0, 0)

test.each<[string, Parameters<typeof anEndpoint>[0], Partial<Health>, string, string]>([
  ['well', {}, {}, 'healthy', 'No recent failures.'],
  [
    'failing',
    {},
    { failingSince: now - minute, failedAttempts: 4 },
    'degraded',
    'Only failures since 2026-01-02 11:59:00 UTC.',
  ],
  [
    'failing for the first time',
    {},
    { failingSince: now, failedAttempts: 1 },
    'degraded',
    'Only failures since 2026-01-02 12:00:00 UTC.',
  ],
  [
    'held',
    {},
    { failingSince: now, failedAttempts: 10, heldUntil: now + minute },
    'breaker_open',
    'Held until 2026-01-02 12:01:00 UTC: only failures since 2026-01-02 12:00:00 UTC. It will be disabled on 2026-01-07 12:00:00 UTC, unless a delivery succeeds before then.',
  ],
  [
    'held at its own wish',
    {},
    { heldUntil: now + minute },
    'breaker_open',
    'Held until 2026-01-02 12:01:00 UTC: it asked for a pause.',
  ],
  [
    'no longer held',
    {},
    { failingSince: now, failedAttempts: 10, heldUntil: now },
    'degraded',
    'Only failures since 2026-01-02 12:00:00 UTC. It will be disabled on 2026-01-07 12:00:00 UTC, unless a delivery succeeds before then.',
  ],
  [
    'paused, whatever else',
    { status: 'paused', statusReason: 'by kim', statusSince: now },
    { heldUntil: now + minute },
    'paused',
    'Paused since 2026-01-02 12:00:00 UTC (by kim): it collects its deliveries.',
  ],
  [
    'disabled',
    { status: 'disabled', statusSince: now },
    {},
    'disabled',
    'Disabled since 2026-01-02 12:00:00 UTC: it gets nothing new.',
  ],
])('an endpoint that is %s', (_, change, health, state, sentence) => {
  expect(wellnessOf(anEndpoint(change), { ...healthy, ...health }, now)).toEqual({ state, sentence })
})

test('the last hours are whole, and the empty ones are there', () => {
  const full = { at: now - hour, delivered: 3, failed: 2, dead: 1 }
  expect(lastHours([full, { ...full, at: now - 9 * hour }], now + minute, 3)).toEqual([
    { at: now - 2 * hour, delivered: 0, failed: 0, dead: 0 },
    full,
    { at: now, delivered: 0, failed: 0, dead: 0 },
  ])
})

test('dead letters that differ below the first line only are one group', () => {
  const group: DeadLetterGroup = {
    endpointId: 'ep_1',
    applicationId: 'app_1',
    reason: 'exhausted',
    errorDetail: 'HTTP 500: a\nb',
    count: 2,
    newestAt: 5,
  }
  const other: DeadLetterGroup = { ...group, endpointId: 'ep_2', count: 6, errorDetail: null }
  expect(
    mergedGroups([
      group,
      { ...group, errorDetail: 'HTTP 500: a\nc', count: 3, newestAt: 9 },
      other,
      { ...group, reason: 'crashed', count: 1 },
    ]),
  ).toEqual([
    other,
    { ...group, errorDetail: 'HTTP 500: a', count: 5, newestAt: 9 },
    { ...group, errorDetail: 'HTTP 500: a', reason: 'crashed', count: 1 },
  ])
})

test('a window is cut into stretches of one length, which add their minutes up', () => {
  const counts = { delivered: 1, failed: 2, dead: 3, latencies: [0, 0, 0, 1] }
  const minutes = [
    { minute: now - 3 * minute, ...counts },
    { minute: now - 2 * minute, ...counts },
    { minute: now, ...counts, latencies: [4] },
    { minute: now - hour, ...counts },
  ]
  const empty = { delivered: 0, failed: 0, dead: 0, latencyP50Ms: null, latencyP95Ms: null }
  expect(bucketsOf({ at: now + minute, windowMs: 15 * minute, minutes }, 5 * minute)).toEqual([
    { at: now - 10 * minute, ...empty },
    { at: now - 5 * minute, delivered: 2, failed: 4, dead: 6, latencyP50Ms: 50, latencyP95Ms: 50 },
    { at: now, delivered: 1, failed: 2, dead: 3, latencyP50Ms: 5, latencyP95Ms: 5 },
  ])
})

test.each<[string, Partial<Job>, number | null, number | null]>([
  ['running', {}, 50, 14],
  ['before its first batch', { done: 0 }, null, null],
  ['in its first instant', { updatedAt: now }, null, null],
  ['paused', { state: 'paused' }, null, null],
  ['done', { state: 'done', done: 1_000 }, null, null],
  ['beyond what was counted', { done: 1_100 }, 183.333, 0],
])('the pace of a job that is %s', (_, change, rate, eta) => {
  const work = { action: 'requeue', filter: {} } as const
  const job: Job = {
    id: 'job_1',
    applicationId: null,
    work,
    state: 'running',
    matching: 1_000,
    done: 300,
    skipped: 0,
    cursor: null,
    actor: 'kim',
    reason: null,
    createdAt: now,
    updatedAt: now + 6_000,
    ...change,
  }
  const { ratePerSecond, etaSeconds } = progressOf(job)
  expect([ratePerSecond === null ? null : Math.round(ratePerSecond * 1_000) / 1_000, etaSeconds]).toEqual([rate, eta])
})
