import type { Migration } from './migration.ts'
import { version10 } from './version-10.ts'
import { version11 } from './version-11.ts'
import { version12 } from './version-12.ts'
import { version13 } from './version-13.ts'
import { version8 } from './version-8.ts'
import { version9 } from './version-9.ts'
import { versions1to7 } from './versions-1-to-7.ts'

/** The whole schema, oldest step first. */
export const migrations: readonly Migration[] = [
  ...versions1to7,
  version8,
  version9,
  version10,
  version11,
  version12,
  version13,
]
