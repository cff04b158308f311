import { expected } from './errors.ts'

/** A value that a filter compares with. */
export type Scalar = string | number | boolean | null

/** What a body must be like, as a small tree: conditions on JSON paths, joined by and, or, not. */
export type PayloadFilter =
  | { readonly path: string; readonly equals: Scalar }
  | { readonly path: string; readonly in: readonly Scalar[] }
  | { readonly path: string; readonly exists: boolean }
  | { readonly path: string; readonly prefix: string }
  | { readonly path: string; readonly greater: number | string }
  | { readonly path: string; readonly less: number | string }
  | { readonly and: readonly PayloadFilter[] }
  | { readonly or: readonly PayloadFilter[] }
  | { readonly not: PayloadFilter }

/** Refuses what is no filter, naming the place in it. */
export function checkFilter(filter: unknown): void {
  if (typeof filter !== 'object' || filter === null) throw expected('invalid_argument', 'filter', 'a condition', filter)
}
