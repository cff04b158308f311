import type { Posthorn } from '../../posthorn.ts'

const pageRows = 250

/** Creates a key that may do everything, unless there is one already; null if there is. The token is shown only now. */
export async function createFirstKey({ keys }: Posthorn): Promise<string | null> {
  for (let after: string | null = null; ;) {
    const page = await keys.list({}, { limit: pageRows, after })
    if (page.some(({ applicationId, access }) => applicationId === null && access === 'write')) return null
    const last = page.at(-1)
    if (last === undefined || page.length < pageRows) break
    after = last.id
  }
  const { token } = await keys.create({ name: 'admin' })
  return token
}
