import type { DescribedSetting } from '../src/config/settings.ts'

export function configurationPage(
  settings: Readonly<Record<string, { readonly env: readonly string[]; readonly secret?: boolean }>>,
  described: readonly DescribedSetting[],
): string
