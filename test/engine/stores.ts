import type { PosthornOptions } from '../../src/posthorn.ts'
import type { Store } from '../../src/core/ports/ports.ts'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { countedStore } from '../acceptance/counted-store.ts'
import { databases } from '../acceptance/databases.ts'
import { engineWorld } from './world.ts'
import type { EngineWorld } from './world.ts'

/** A kind of store that a test of the engine runs on. */
export interface StoreKind {
  readonly name: string
  open(): Promise<Store>
}

/** Memory, and every database there is. */
export const stores: readonly StoreKind[] = [
  { name: 'memory', open: async () => memoryStore() },
  ...databases.map(({ name, open }) => ({ name, open: async () => (await open()).store() })),
]

/** An engine that is not started yet, on a store of that kind; its clock waits for the store. */
export async function worldOn(kind: StoreKind, options: Partial<PosthornOptions> = {}): Promise<EngineWorld> {
  const counted = countedStore(await kind.open())
  const world = engineWorld(options, counted.store)
  world.clock.attend(counted.underWay)
  return world
}
