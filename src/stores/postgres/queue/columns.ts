/**
 * Arrays as columns for `unnest`. The subquery hides their length from the planner: if it saw how few rows there are, it would estimate a
 * custom plan to be cheaper every time, and planning takes as long as the call itself.
 */
export function columns(...parameters: readonly string[]): string {
  return parameters.map((parameter) => `(select ${parameter})`).join(', ')
}
