import { DatabaseSync } from '@photostructure/sqlite'
import { Pool } from 'pg'
import { Posthorn } from 'posthorn'
import type { Store } from 'posthorn'
import { postgres } from 'posthorn/postgres'
import { sqlite } from 'posthorn/sqlite'
import { manualClock, scriptedTransport } from 'posthorn/testing'
import { expect, onTestFinished, test } from 'vitest'
import { freshSchema, isFast } from '../postgres.ts'
import { freshPath } from '../stores/sqlite-folder.ts'
import { recordSpans } from './spans.ts'
import type { Spans } from './spans.ts'

const paid = { application: 'acme', type: 'invoice.paid', data: { id: 7 } }

async function posthornOn(store: Store): Promise<Posthorn> {
  const clock = manualClock()
  const posthorn = new Posthorn({ store, clock, transport: scriptedTransport(clock) })
  onTestFinished(() => posthorn.stop({ graceMs: 0 }))
  await posthorn.endpoints.create({ application: 'acme', url: 'https://acme.example/hook' })
  return posthorn
}

function sendContexts(spans: Spans): string[] {
  return spans.named('send invoice.paid').map((span) => {
    const { traceId, spanId } = span.spanContext()
    return `00-${traceId}-${spanId}-01`
  })
}

test('on SQLite the span of a send is part of the transaction that it joins when the call returns', async () => {
  const spans = recordSpans()
  const path = await freshPath()
  const posthorn = await posthornOn(sqlite({ open: () => new DatabaseSync(path), plaintextSecrets: true }))
  const db = new DatabaseSync(path)
  onTestFinished(() => db.close())
  db.exec('begin immediate')
  const sending = posthorn.send([paid, paid], { tx: db })
  db.exec('commit')
  const stored = db.prepare('select trace_context from posthorn_messages order by id').all()
  await sending
  expect(sendContexts(spans)).toHaveLength(2)
  expect(stored.map((row) => String(row['trace_context'])).toSorted()).toEqual(sendContexts(spans).toSorted())
})

test.skipIf(isFast)('on PostgreSQL the span of a send is part of the transaction that it joins', async () => {
  const spans = recordSpans()
  const { url, schema, query, drop } = freshSchema()
  const pool = new Pool({ connectionString: url, max: 1 })
  // Registered first, so that it runs last.
  onTestFinished(async () => {
    await pool.end()
    await drop()
  })
  const posthorn = await posthornOn(postgres(url, { schema, plaintextSecrets: true }))
  const tx = await pool.connect()
  await tx.query('begin')
  await posthorn.send([paid, paid], { tx })
  await tx.query('commit')
  tx.release()
  const stored = await query('select trace_context from messages')
  expect(sendContexts(spans)).toHaveLength(2)
  expect(stored.map((row) => String(row['trace_context'])).toSorted()).toEqual(sendContexts(spans).toSorted())
})
