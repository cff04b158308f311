export function errorsPage(source: string, statusSource: string): string
