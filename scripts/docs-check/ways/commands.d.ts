export function commandsOf(code: string): string[]
