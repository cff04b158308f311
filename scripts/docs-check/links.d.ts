export function linkProblems(root: string, path: string): string[]
export function anchorsOf(text: string): Set<string>
