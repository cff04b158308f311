export interface Fence {
  readonly line: number
  readonly language: string
  readonly code: string
  /** What it prints is on the page, right after it. */
  readonly isShown: boolean
  readonly way: { readonly kind: string; readonly rest?: string; readonly reason?: string }
}

export interface Page {
  readonly path: string
  readonly text: string
  readonly setup: string
  readonly fences: readonly Fence[]
}

export function pagesOf(root: string): string[]
export function readPage(root: string, path: string): Page
export function fencesOf(text: string): Fence[]
export function markProblems(pages: readonly Pick<Page, 'path' | 'fences'>[]): string[]
