import type { DescribedSetting } from '../src/config/describe.ts'

export function configurationPage(
  settings: Readonly<Record<string, { readonly env: readonly string[]; readonly secret?: boolean }>>,
  described: readonly DescribedSetting[],
): string
