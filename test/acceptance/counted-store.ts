import type { Store } from '../../src/core/ports/ports.ts'

type Method = (...request: unknown[]) => Promise<unknown>

/** A store of which is known what is under way: a database in another process takes its time, and a manual clock must wait for it. */
export function countedStore(store: Store): { readonly store: Store; underWay(): Promise<unknown> | null } {
  const calls = new Set<Promise<unknown>>()

  /** Counts the calls of a part's methods, and leaves its values as they are. */
  function counted<Part extends object>(part: Part): Part {
    return Object.fromEntries(
      Object.entries(part).map(([name, member]) => [
        name,
        typeof member === 'function' ? count(member as Method) : member,
      ]),
    ) as Part
  }

  function count(method: Method): Method {
    return (...request) => {
      const call = method(...request)
      calls.add(call)
      const end = (): void => void calls.delete(call)
      call.then(end, end)
      return call
    }
  }

  // Who listens asks nothing: that goes on as long as the engine runs.
  const listen = store.listen === undefined ? {} : { listen: store.listen }
  return {
    store: { ...counted(store), ...listen, queue: counted(store.queue), directory: counted(store.directory) },
    underWay: () => (calls.size === 0 ? null : Promise.allSettled(calls)),
  }
}
