import type { Migration } from './migration.ts'
import { version8 } from './version-8.ts'
import { versions1to7 } from './versions-1-to-7.ts'

/** The whole schema, oldest step first. */
export const migrations: readonly Migration[] = [...versions1to7, version8]
