import type { Store } from '../../core/ports/ports.ts'
import { makeWorld } from './world.ts'
import type { World } from './world.ts'

/** One sentence about what a store does, with the code that checks it. It throws if the store does otherwise. */
export interface StoreCase {
  readonly name: string
  /** `makeStore` must return an empty store that nobody else uses; the case opens and closes it. */
  run(makeStore: () => Promise<Store>): Promise<void>
}

export function storeCase(name: string, check: (world: World) => Promise<void>): StoreCase {
  return {
    name,
    async run(makeStore) {
      const store = await makeStore()
      await store.open()
      try {
        await check(makeWorld(store))
      } finally {
        await store.close()
      }
    },
  }
}
