import { PosthornError } from '../../core/errors.ts'
import { makeId } from '../../core/ids.ts'
import type { Instant } from '../../core/time.ts'
import { withBytes } from '../shared/rows/move-rows.ts'
import { openedRow, sealedRow } from '../shared/rows/sealed-columns.ts'
import type { Move, TableProgress } from '../shared/rows/move-rows.ts'
import type { Row } from '../shared/sql/database.ts'
import { strongRandom } from '../shared/strong-random.ts'
import { compare } from './compare.ts'
import { openTarget } from './postgres-target.ts'
import type { CopyTarget, TargetOptions } from './postgres-target.ts'
import { openSource } from './sqlite-source.ts'
import type { CopySource, SourceOptions } from './sqlite-source.ts'
import { copiedTables } from './tables.ts'
import type { CopiedTable } from './tables.ts'

/** A copy from a SQLite file to PostgreSQL. */
export interface CopyOptions {
  readonly from: SourceOptions
  readonly to: TargetOptions
  /** The target in a form that is safe to show: without a password. */
  readonly shownTarget: string
  readonly now: () => Instant
  /** Stops the copy after the current batch; the same call continues with the next one. */
  readonly signal: AbortSignal
  /** Called after every batch. */
  onProgress(step: CopyStep): void
}

interface CopyStep {
  readonly table: string
  readonly copied: number
  readonly rows: number
}

export interface Copied {
  readonly isWhole: boolean
  /** True if it continued an interrupted copy. */
  readonly isResumed: boolean
  readonly tables: Readonly<Record<string, number>>
  /** How many rows were compared, column by column. */
  readonly compared: number
}

/** Copies all data that matters, batch by batch; compares it; and only then opens the target to workers. */
export async function copy(options: CopyOptions): Promise<Copied> {
  const source = await openSource(options.from)
  try {
    const target = await openTarget(options.to)
    try {
      return await copyInto(source, target, options)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** Puts a copied, or partly copied, file back into use. Returns where else its deliveries are; null if nowhere. */
export async function cancelCopy(from: SourceOptions): Promise<Move | null> {
  const source = await openSource(from)
  try {
    const move = await source.move()
    if (move !== null) await source.letGo()
    return move
  } finally {
    await source.close()
  }
}

async function copyInto(source: CopySource, target: CopyTarget, options: CopyOptions): Promise<Copied> {
  const { move, progress } = await agree(source, target, options)
  await source.hold(move, options.now())
  const begun = progress ?? (await target.begin(move.id, options.from.path))
  const tables: Record<string, number> = {}
  for (const table of copiedTables) {
    const before = begun.find(({ name }) => name === table.name)
    if (before === undefined) throw otherRelease(table)
    tables[table.name] = await copyTable(source, target, { table, before, options })
    if (options.signal.aborted) return { isWhole: false, isResumed: progress !== null, tables, compared: 0 }
  }
  const compared = await compare(source, target)
  // In this order: after a kill in between, the next run finds both unchanged, and only opens the target.
  source.finish(move.id, options.now())
  await target.finish()
  return { isWhole: true, isResumed: progress !== null, tables, compared }
}

/** Checks that source and target are unused, or in the middle of this same copy. Changes neither. */
async function agree(
  source: CopySource,
  target: CopyTarget,
  { shownTarget, from: { path }, now }: CopyOptions,
): Promise<{ move: Pick<Move, 'id' | 'target'>; progress: readonly TableProgress[] | null }> {
  const move = await source.move()
  const progress = await target.progress()
  const begun = progress?.[0]
  if (begun !== undefined && begun.copyId !== move?.id) throw otherCopy(begun, path, move)
  if (move !== null) refuseOtherTarget(move, path, shownTarget)
  if (begun === undefined) await refuseUsed(target, path, move)
  return { move: move ?? { id: makeId('job', now(), strongRandom), target: shownTarget }, progress }
}

/** Refuses to start if source or target is already used. */
async function refuseUsed(target: CopyTarget, path: string, move: Move | null): Promise<void> {
  if (move !== null && move.finishedAt !== null) throw alreadyCopied(path, move)
  await target.refuseUnlessFree()
}

interface TableCopy {
  readonly table: CopiedTable
  readonly before: TableProgress
  readonly options: CopyOptions
}

/** Returns how many rows of the table are in the target. */
async function copyTable(
  source: CopySource,
  target: CopyTarget,
  { table, before, options: { signal, onProgress } }: TableCopy,
): Promise<number> {
  const rows = source.count(table.name)
  let progress = before
  while (!signal.aborted) {
    const batch = source.rowsAfter(table, progress.cursor)
    if (batch === null) break
    const translated = batch.rows.map((row) => inTarget(source, target, table, row))
    progress = await target.write(table, { ...batch, rows: translated }, progress)
    onProgress({ table: table.name, copied: progress.copied, rows })
  }
  return progress.copied
}

/** A row as the target stores it: sealed values are sealed again with the target's key. */
function inTarget(source: CopySource, target: CopyTarget, { name }: CopiedTable, row: Row): Row {
  const resealed = sealedRow(name, target.vault, openedRow(name, source.vault, row))
  return name === 'messages' ? withBytes(resealed) : resealed
}

function otherCopy({ source }: TableProgress, path: string, move: Move | null): PosthornError {
  const used = source === path && move === null ? ', and that file was taken back into use since' : ''
  return new PosthornError(
    'wrong_state',
    `Expected the target to be empty, got one that ${source} is being copied into${used}. Let that copy end, or drop the schema of the target and copy again.`,
  )
}

function refuseOtherTarget({ target, finishedAt }: Move, path: string, shownTarget: string): void {
  if (target === shownTarget) return
  const state = finishedAt === null ? 'is being copied' : 'was copied'
  throw new PosthornError(
    'wrong_state',
    `Expected ${path} to be copied nowhere else, got one that ${state} to ${target}. Give that target; or begin anew: posthorn copy --from sqlite:${path} --cancel.`,
  )
}

function alreadyCopied(path: string, { target }: Move): PosthornError {
  return new PosthornError(
    'wrong_state',
    `Expected ${path} not to be copied yet, got one that is in ${target} already. Nothing was done.`,
  )
}

function otherRelease({ name }: CopiedTable): PosthornError {
  return new PosthornError(
    'wrong_state',
    `Expected a copy that this release has begun, got one that knows no table ${name}. Go on with the release that began it, or drop the schema of the target, take the source back into use with --cancel, and copy again.`,
  )
}
