export function httpApiPage(document: { readonly [name: string]: unknown }): string
