export function outputProblem(wanted: string, printed: string): string | null
