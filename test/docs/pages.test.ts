import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { navigation } from '../../docs/site/.vitepress/pages.js'
import { anchorsOf, linkProblems } from '../../scripts/docs-check/links.js'
import { outputProblem } from '../../scripts/docs-check/ways/output.js'
import { fencesOf, markProblems, pagesOf, readPage } from '../../scripts/docs-check/pages.js'
import { commandsOf } from '../../scripts/docs-check/ways/commands.js'
import { llmsText } from '../../scripts/reference/llms-text.js'
import { root } from '../acceptance/files.ts'

const paths = pagesOf(root)
const page = (text: string) => [{ path: 'a.md', fences: fencesOf(text) }]

test.each(paths)('every link and anchor of %s leads somewhere', (path) => {
  expect(linkProblems(root, path)).toEqual([])
})

test('every snippet of the pages can be checked, and at most a tenth is marked as not run', () => {
  expect(markProblems(paths.map((path) => readPage(root, path)))).toEqual([])
})

test('the README fits a reader: under 200 lines', () => {
  expect(readFileSync(join(root, 'README.md'), 'utf8').split('\n').length).toBeLessThan(200)
})

test('the retry table for receivers is that of the README, which is that of the code', () => {
  const table = /\| attempt \| waits \| after \|\n(?:\|.*\n)+/
  const [inReadme = 'none'] = table.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
  expect(readFileSync(join(root, 'docs/receiving/index.md'), 'utf8')).toContain(inReadme)
})

test('the site and llms.txt name every page, once; npm run docs writes llms.txt', () => {
  const docs = paths.filter((path) => path !== 'README.md' && path !== 'docs/index.md')
  expect(navigation.flatMap(({ pages }) => pages.map(({ path }) => `docs/${path}`)).toSorted()).toEqual(docs)
  expect(readFileSync(join(root, 'docs/llms.txt'), 'utf8')).toBe(llmsText(navigation))
})

test('fences are told apart by their language, and by what stands above them', () => {
  const text = [
    '```sh\nposthorn ls\n```',
    '```json\n{}\n```',
    'Text.',
    '```json\n{}\n```',
    '<!-- check: receiver a.py, then python3 a.py -->\n```python\nx\n```',
    '*Not run: no .NET here.*\n\n```csharp\nx\n```',
    '```\n┌─┐\n```',
    '```cobol\nx\n```',
  ].join('\n\n')
  const kinds = ['shell', 'output', 'json', 'receiver', 'not run', 'drawing', 'unknown']
  expect(fencesOf(text).map(({ way }) => way.kind)).toEqual(kinds)
})

test('what is not marked, marked too often, or marked although it must run is found', () => {
  const marked = '*Not run: why.*\n```sh\nls\n```\n'
  expect(markProblems(page('```cobol\nx\n```'))).toEqual([expect.stringContaining('the language cobol')])
  expect(markProblems(page(marked + '```sh\nls\n```\n'.repeat(9)))).toEqual([expect.stringContaining('a.md:2')])
  const csharp = '*Not run: why.*\n```csharp\nx\n```\n'
  expect(markProblems(page(csharp + '```sh\nls\n```\n'.repeat(9)))).toEqual([])
  expect(markProblems(page(csharp + '```sh\nls\n```\n'.repeat(8)))).toEqual([expect.stringContaining('a tenth of 9')])
})

test('links that lead to nothing are found', () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-links-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'docs'))
  writeFileSync(join(folder, 'docs/b.md'), '# One thing\n\n## It’s *here* (2)\n\n## One thing\n')
  writeFileSync(
    join(folder, 'docs/a.md'),
    '[1](b.md) [2](b.md#one-thing) [3](b.md#its-here-2) [4](c.md) [5](b.md#two) `[6](d.md)`\n```\n[7](e.md)\n```\n',
  )
  expect(linkProblems(folder, 'docs/a.md')).toEqual([
    'docs/a.md:1: c.md leads to nothing',
    'docs/a.md:1: b.md#two has no heading #two',
  ])
  expect([...anchorsOf('# A\n# A\n```\n# B\n```\n')]).toEqual(['a', 'a-1'])
})

test('the output of a command is compared, whatever stands for …', () => {
  expect(outputProblem('{"id":"msg_…","n": 7}', '{ "id": "msg_12", "n":7 }\n')).toBeNull()
  expect(outputProblem('{"id":"msg_…","n":7}', '{"id":"msg_12","n":8}')).toContain('expected the output')
})

test('a fence is read as the commands that a reader would type', () => {
  expect(commandsOf("# first\na \\\n  b\n\ncat <<'END'\n# text\nEND\nc")).toEqual([
    'a \\\n  b',
    "cat <<'END'\n# text\nEND",
    'c',
  ])
})
