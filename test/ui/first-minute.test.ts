import { expect, test } from 'vitest'
import { temporaryFolder } from '../cli/folder.ts'
import { startProgram } from '../cli/program.ts'
import { useStage } from './stage.ts'

const stage = useStage()

// In a file of its own, because it mostly waits: the others run beside it.
test(
  'npm start prints an address where deliveries arrive, dead letters follow, and Retry now succeeds',
  { timeout: 120_000 },
  async () => {
    const program = startProgram(stage.built('cli/main.js'), ['dev'], {
      TMPDIR: await temporaryFolder(),
      POSTHORN_PORT: '0',
    })
    const url = (await program.says(/^dashboard at /)).slice('dashboard at '.length)
    const { page, complaints, close } = await stage.open({ url }, { key: null })
    await page.getByText(/3 dead letters wait for your decision/).waitFor({ timeout: 60_000 })
    await page.getByRole('link', { name: 'Deliveries' }).first().click()
    await page.getByText('sample.ok').first().waitFor()
    const dead = page.locator('tbody tr', { hasText: 'dead' }).filter({ hasText: 'sample.500' })
    await dead.first().getByRole('link', { name: 'sample.500' }).click()
    await page.getByText('Dead after 4 failed attempts.').waitFor()
    await page.getByRole('button', { name: 'Retry now' }).click()
    await page.getByText('Delivered on attempt 1').waitFor()
    await page.getByRole('link', { name: 'Overview' }).first().click()
    await page.getByText(/2 dead letters wait for your decision/).waitFor()
    expect(complaints).toEqual([])
    await close()
  },
)
