import type { Directory } from '../../core/ports/directory.ts'
import type { Posthorn } from '../../posthorn.ts'
import type { Terminal } from '../command.ts'

/** Shows deliveries on a terminal while they are under way. */
export interface View {
  /** A message for people that does not disturb what is shown. */
  note(text: string): void
  /** Shows the final state, and releases the terminal. */
  close(): Promise<void>
}

export interface ViewParts {
  readonly terminal: Terminal
  readonly posthorn: Pick<Posthorn, 'on'>
  readonly directory: Pick<Directory, 'listDeliveries' | 'overview'>
  readonly labels: Labels
  /** Lines above and below the table. */
  readonly title: string
  readonly hint: string
}

/** The names of endpoints that people know, read once. */
export interface Labels {
  learn(endpointIds: readonly string[]): Promise<void>
  of(endpointId: string): string
}
