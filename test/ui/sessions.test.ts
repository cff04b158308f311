import { beforeAll, expect, test } from 'vitest'
import type { Server } from './server.ts'
import { useStage } from './stage.ts'

const stage = useStage()
const limit = { timeout: 60_000 }
let server: Server

beforeAll(async () => {
  server = await stage.serve()
  await server.call('POST', 'app', { name: 'Acme', uid: 'acme' })
}, 60_000)

async function keyFor(name: string): Promise<string> {
  return (await server.call<{ token: string }>('POST', 'key', { name })).token
}

test('the settings list who is signed in, and sign out everywhere ends all of them', limit, async () => {
  const key = await keyFor('kim')
  const [first, second] = [
    await stage.open(server, { key, path: 'settings' }),
    await stage.open(server, { key, path: 'settings' }),
  ]
  const sessions = second.page.getByRole('table', { name: 'Sessions' })
  await sessions.getByText('this browser').waitFor()
  expect(await sessions.getByRole('row').filter({ hasText: 'kim' }).count()).toBe(2)
  expect(await sessions.getByRole('row').last().textContent()).toContain(
    'from 127.0.0.1, read and write access to all applications',
  )
  await second.page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await second.page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await second.page.getByLabel('API key').waitFor()
  await first.page.reload()
  await first.page.getByLabel('API key').waitFor()
  expect([...first.complaints, ...second.complaints].filter((each) => !each.includes('401'))).toEqual([])
  for (const { close } of [first, second]) await close()
})

test('a link asks whoever is signed in before it signs them in as somebody else', limit, async () => {
  const { page, close } = await stage.open(server, { key: await keyFor('maria') })
  await page.getByText('maria').waitFor()
  const { url } = await server.call<{ url: string }>('POST', 'auth/app-portal-access/acme', {})
  // Leaves the page first: only the fragment would change otherwise, and nothing be loaded.
  await page.goto('about:blank')
  await page.goto(url)
  const question = page.getByRole('dialog', { name: 'Sign in as somebody else?' })
  await question.getByText('You are signed in as "maria".').waitFor()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('maria').waitFor()
  expect(new URL(page.url()).hash).toBe('')

  await page.goto('about:blank')
  await page.goto(url)
  await question.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('maria').waitFor({ state: 'detached' })
  await page.getByText('No endpoints yet').waitFor()
  await close()
})
