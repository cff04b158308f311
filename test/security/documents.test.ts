import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../acceptance/files.ts'

const page = readFileSync(join(root, 'docs/security.md'), 'utf8')
const rows = rowsOf('What is checked where')

test('docs/security.md has every attack of which a defence is known', () => {
  expect(rows.map(({ attack }) => attack)).toEqual([
    'SSRF',
    'address list',
    'URL tricks',
    'headers',
    'response bombs',
    'request bombs',
    'secrets at rest',
    'signatures',
    'API keys',
    'dashboard',
    'TLS',
    'logs and metrics',
  ])
})

test.each(rows.filter(({ files }) => files.length > 0))(
  '$attack: a file that the page names has its defences',
  (row) => {
    const texts = row.files.map((file) => readFileSync(join(root, file), 'utf8'))
    const names = texts.flatMap((text) =>
      [...text.matchAll(/^\s*defence\(\s*['"`]([^'"`:]+): /gm)].map(([, name]) => name),
    )
    expect(names).toContain(row.attack)
  },
)

test('SECURITY.md and the page name chapters that are there', () => {
  const text = readFileSync(join(root, 'SECURITY.md'), 'utf8')
  const links = [...text.matchAll(/\((docs\/[\w-]+\.md)#([\w-]+)\)/g), ...page.matchAll(/\(([\w-]+\.md)#([\w-]+)\)/g)]
  expect(links.length).toBeGreaterThan(2)
  const lost = links.filter(([, file = '', anchor = '']) => {
    const path = file.startsWith('docs/') ? file : `docs/${file}`
    return !chapters(readFileSync(join(root, path), 'utf8')).includes(anchor)
  })
  expect(lost.map(([link]) => link)).toEqual([])
})

interface Row {
  readonly attack: string
  /** Those of this folder that the row names. */
  readonly files: readonly string[]
}

function rowsOf(chapter: string): Row[] {
  const text = page.split(/^## /m).find((each) => each.startsWith(`${chapter}\n`)) ?? ''
  const lines = text.split('\n').filter((line) => line.startsWith('| '))
  return lines.slice(1).map((line) => ({
    attack: line.split('|')[1]?.trim() ?? '',
    files: [...line.matchAll(/`(test\/security\/[\w-]+\.test\.ts)`/g)].map(([, file = '']) => file),
  }))
}

/** The anchors of a page's headings, as GitHub makes them. */
function chapters(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}
