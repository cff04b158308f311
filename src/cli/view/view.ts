import type { Directory } from '../../core/ports/directory.ts'
import type { Posthorn } from '../../posthorn.ts'
import type { Terminal } from '../command.ts'

/** What a terminal shows of deliveries while they are under way. */
export interface View {
  /** A message for a person that does not disturb what is shown. */
  note(text: string): void
  /** Shows how things stand at last, and gives the terminal back. */
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

/** Names of endpoints as a person knows them, read once. */
export interface Labels {
  learn(endpointIds: readonly string[]): Promise<void>
  of(endpointId: string): string
}
