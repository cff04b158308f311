/**
 * Arrays as columns for `unnest`. They come out of a question, so that nobody counts them beforehand: a planner that sees how few
 * there are finds each call cheaper than any, and plans it anew, which takes as long as the call itself.
 */
export function columns(...parameters: readonly string[]): string {
  return parameters.map((parameter) => `(select ${parameter})`).join(', ')
}
