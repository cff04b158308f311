import { beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { positionAt } from '../../src/ui/text/json-place.ts'
import { jsonFault, lineOf } from '../../src/ui/text/json-problem.ts'
import { newestSchema, nextVersion, versionsOf } from '../../src/ui/text/schema-versions.ts'
import type { Server } from './server.ts'
import { adminKey, useStage } from './stage.ts'

const stage = useStage()
const limit = { timeout: 60_000 }
const schema = { type: 'object', required: ['total'], properties: { total: { type: 'number' } } }
let server: Server

beforeAll(async () => {
  server = await stage.serve({ delivers: false })
}, 60_000)

interface Stored {
  readonly description: string
  readonly schemas: Record<string, unknown> | null
  readonly archived: boolean
  readonly deprecated: boolean
  readonly featureFlag: string | null
}

function declare(name: string, more: object = {}): Promise<unknown> {
  return server.call('POST', 'event-type', { name, description: `About ${name}.`, ...more })
}

function stored(name: string): Promise<Stored> {
  return server.call('GET', `event-type/${name}`)
}

/** The answer itself, also one that refuses. */
function raw(path: string): Promise<Response> {
  return fetch(`${server.url}api/v1/${path}`, { headers: { authorization: `Bearer ${adminKey}` } })
}

const schemaField = (page: Page) => page.getByLabel('Schema', { exact: true })
const exampleField = (page: Page) => page.getByLabel('Example', { exact: true })

describe('the list', () => {
  test('is narrowed by text and by the archive, page by page, and leads to a type', limit, async () => {
    for (let index = 0; index < 55; index += 1) await declare(`list.type-${String(index).padStart(2, '0')}`)
    await declare('list.archived', { archived: true, description: 'Nobody needs it' })
    await declare('list.versions', { schemas: { 1: schema, 2: schema }, featureFlag: 'beta' })
    const { page, complaints, close } = await stage.open(server, { path: 'event-types?text=list.' })
    const names = (): Promise<string[]> => page.locator('tbody .main a').allTextContents()
    await expect.poll(async () => (await names()).length).toBe(50)
    await page.getByRole('button', { name: 'Next' }).click()
    await expect.poll(async () => (await names()).at(-1)).toBe('list.versions')
    await expect.poll(() => page.locator('tbody tr', { hasText: 'list.versions' }).innerText()).toMatch(/beta\s+2\s/)
    await page.getByText('Archived', { exact: true }).click()
    await expect.poll(names).toEqual(['list.archived'])
    await page.waitForURL('**/event-types?text=list.&archived=true')
    await page.getByText('Current', { exact: true }).click()
    await expect.poll(async () => (await names()).length).toBe(50)
    await page.getByPlaceholder('Name or description').fill('NOBODY needs')
    await expect.poll(names).toEqual(['list.archived'])
    await page.getByPlaceholder('Name or description').fill('no such type')
    await page.getByText('No event type matches').waitFor()
    await page.getByPlaceholder('Name or description').fill('list.versions')
    await page.getByRole('link', { name: 'list.versions' }).click()
    await page.getByRole('heading', { name: 'list.versions', level: 1 }).waitFor()
    expect(complaints).toEqual([])
    await close()
  })
})

describe('an operator', () => {
  test('adds a type, edits it, archives it, brings it back, and deletes it', limit, async () => {
    const { page, complaints, close } = await stage.open(server, { path: 'event-types' })
    await page.getByRole('button', { name: 'Add an event type' }).click()
    const adding = page.getByRole('dialog', { name: 'Add an event type' })
    await adding.getByLabel('Name').fill('order.sent')
    await adding.getByLabel('Description').fill('An order left.')
    await adding.getByRole('button', { name: 'Add the type' }).click()
    await page.waitForURL('**/event-types/order.sent')
    await page.getByText('There is no schema yet').waitFor()

    await page.getByRole('button', { name: 'Edit' }).click()
    const editing = page.getByRole('dialog', { name: 'Edit order.sent' })
    await editing.getByLabel('Description').fill('An order left the house.')
    await editing.getByLabel('Feature flag').fill('not a flag')
    await editing.getByLabel('Deprecated').check()
    await editing.getByRole('button', { name: 'Save' }).click()
    await editing.getByText('featureFlag').waitFor()
    await editing.getByLabel('Feature flag').fill('beta')
    await editing.getByRole('button', { name: 'Save' }).click()
    await page.getByText('An order left the house.').waitFor()
    await page.getByText('deprecated', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Archive' }).click()
    const asked = page.getByRole('dialog', { name: 'Archive order.sent?' })
    await asked.getByRole('button', { name: 'Cancel' }).click()
    expect(await stored('order.sent')).toMatchObject({ archived: false, deprecated: true, featureFlag: 'beta' })
    await page.getByRole('button', { name: 'Archive' }).click()
    await asked.getByRole('button', { name: 'Archive it' }).click()
    await page.getByText('archived', { exact: true }).waitFor()
    expect(await stored('order.sent')).toMatchObject({ archived: true, description: 'An order left the house.' })
    await page.getByRole('button', { name: 'Unarchive' }).click()
    await page.getByRole('button', { name: 'Unarchive it' }).click()
    await page.getByRole('button', { name: 'Archive …', exact: true }).waitFor()
    expect(await stored('order.sent')).toMatchObject({ archived: false })

    await page.getByRole('button', { name: 'Delete the event type' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete it' }).click()
    await page.waitForURL('**/event-types')
    expect((await raw('event-type/order.sent')).status).toBe(404)
    // The browser itself complains of the 422 that was provoked.
    expect(complaints.filter((each) => !each.includes('422'))).toEqual([])
    await close()
  })

  test(
    'writes a schema with its example; what is wrong is said in words, with its place, before it is saved',
    limit,
    async () => {
      await declare('schema.new')
      const { page, complaints, close } = await stage.open(server, { path: 'event-types/schema.new' })
      await page.getByRole('button', { name: 'Add a schema' }).click()
      const field = schemaField(page)

      await field.fill('{\n  "type": object\n}')
      await page.getByText('This is not JSON yet: look at line 2, column 11.').waitFor()
      await page.getByRole('button', { name: 'Add version 1' }).click()
      await page.getByText('Not saved: the schema is not JSON yet.').waitFor()

      await field.fill('["total"]')
      await page.getByText('It is array, and must be object or boolean.').waitFor()
      await page.getByRole('button', { name: 'Add version 1' }).click()
      await page.getByText('Not saved: this is no JSON Schema.').waitFor()

      await field.fill('{\n  "properties": {\n    "total": { "type": "text" }\n  }\n}')
      await page.getByText('#/properties/total/type: It must be one of "array"').waitFor()
      await page.getByRole('button', { name: 'Go to line 3, column 24' }).click()
      const marked =
        'document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)'
      expect(await page.evaluate<string>(marked)).toBe('"text"')
      expect((await stored('schema.new')).schemas).toBeNull()

      await field.fill(JSON.stringify(schema))
      await page.getByText('Made from the schema, which allows it.').waitFor()
      await page.getByRole('button', { name: 'Format the schema' }).click()
      expect(await field.inputValue()).toBe(JSON.stringify(schema, null, 2))

      await exampleField(page).fill('{ "total": "7" }')
      await page.getByText('The schema does not allow this: #/total: It is string, and must be number.').waitFor()
      await page.getByRole('button', { name: 'Add version 1' }).click()
      await page.getByText('Not saved: the schema does not allow its example. #/total').waitFor()
      expect((await stored('schema.new')).schemas).toBeNull()
      await exampleField(page).fill('{ "total": 7.5 }')
      await page.getByText('The schema allows this.').waitFor()
      await page.getByRole('button', { name: 'Add version 1' }).click()
      await page.getByText('Saved version 1.').waitFor()
      expect((await stored('schema.new')).schemas).toEqual({ 1: { ...schema, examples: [{ total: 7.5 }] } })
      await expect.poll(() => field.inputValue()).toContain('"examples"')

      await page.getByRole('link', { name: 'Send a test' }).click()
      await page.waitForURL('**/messages/send?event_type=schema.new')
      await expect.poll(() => page.getByLabel('Payload').inputValue()).toBe('{\n  "total": 7.5\n}')
      expect(complaints).toEqual([])
      await close()
    },
  )

  test('adds the next version as a copy, chooses between them, and removes one', limit, async () => {
    await declare('schema.versions', { schemas: { 9: { title: 'nine' }, 10: { title: 'ten' } } })
    const { page, complaints, close } = await stage.open(server, { path: 'event-types/schema.versions' })
    const field = schemaField(page)
    await expect.poll(() => field.inputValue()).toContain('ten')
    expect(await page.getByRole('button', { name: 'Save version 10' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Add version 11' }).click()
    expect(await field.inputValue()).toContain('ten')
    await field.fill('{"title": "eleven"}')
    await page.getByRole('button', { name: 'Add version 11' }).click()
    await page.waitForURL('**/event-types/schema.versions?version=11')
    expect((await stored('schema.versions')).schemas).toEqual({
      9: { title: 'nine' },
      10: { title: 'ten' },
      11: { title: 'eleven' },
    })

    await page.getByLabel('Version').selectOption('9')
    await page.getByText('An older version, kept for reference. The newest is version 11.').waitFor()
    expect(await field.inputValue()).toContain('nine')
    // In one go: whoever is quick is asked, too.
    await page.evaluate(`(async () => {
      const [area, select] = ['[name=schema]', '.version select'].map((each) => document.querySelector(each))
      area.value = '{"title": "changed"}'
      area.dispatchEvent(new Event('input', { bubbles: true }))
      for (let turn = 0; turn < 5; turn += 1) await null
      select.value = '10'
      select.dispatchEvent(new Event('change', { bubbles: true }))
    })()`)
    const asked = page.getByRole('dialog', { name: 'Discard your changes?' })
    await asked.getByRole('button', { name: 'Keep editing' }).click()
    expect(await field.inputValue()).toContain('changed')
    expect(await page.getByLabel('Version').inputValue()).toBe('9')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    expect(await field.inputValue()).toContain('nine')
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('The newest version stays 11.').waitFor()
    await page.getByRole('button', { name: 'Remove it' }).click()
    await page.getByText('Removed version 9.').waitFor()
    expect(Object.keys((await stored('schema.versions')).schemas ?? {})).toEqual(['10', '11'])
    expect(complaints).toEqual([])
    await close()
  })

  test('who edits in two tabs loses nothing without being asked', limit, async () => {
    await declare('schema.twice', { schemas: { 1: { title: 'one' } } })
    const first = await stage.open(server, { path: 'event-types/schema.twice' })
    const second = await stage.open(server, { path: 'event-types/schema.twice' })
    // Different versions: both are kept.
    await second.page.getByRole('button', { name: 'Add version 2' }).click()
    await second.page.getByRole('button', { name: 'Add version 2' }).click()
    await second.page.getByText('Saved version 2.').waitFor()
    await schemaField(first.page).fill('{"title": "mine"}')
    await first.page.getByRole('button', { name: 'Save version 1' }).click()
    await first.page.getByText('Saved version 1.').waitFor()
    expect((await stored('schema.twice')).schemas).toEqual({ 1: { title: 'mine' }, 2: { title: 'one' } })

    // The same version: who was slower is asked.
    await second.page.getByLabel('Version').selectOption('1')
    await schemaField(second.page).fill('{"title": "theirs"}')
    await second.page.getByRole('button', { name: 'Save version 1' }).click()
    const conflict = second.page.getByRole('alert').filter({ hasText: 'Somebody else has changed version 1' })
    await conflict.waitFor()
    expect((await stored('schema.twice')).schemas).toMatchObject({ 1: { title: 'mine' } })
    await conflict.getByRole('button', { name: 'Load theirs instead' }).click()
    await expect.poll(() => schemaField(second.page).inputValue()).toContain('mine')
    await schemaField(second.page).fill('{"title": "both"}')
    await second.page.getByRole('button', { name: 'Save version 1' }).click()
    await second.page.getByText('Saved version 1.').waitFor()
    await schemaField(first.page).fill('{"title": "over it"}')
    await first.page.getByRole('button', { name: 'Save version 1' }).click()
    await first.page.getByRole('button', { name: 'Save mine over it' }).click()
    await expect.poll(async () => (await stored('schema.twice')).schemas).toMatchObject({ 1: { title: 'over it' } })

    // The same new version: the second becomes the next.
    for (const { page } of [first, second]) {
      await page.goto(`${server.url}event-types/schema.twice`)
      await page.getByRole('button', { name: 'Add version 3' }).click()
      await schemaField(page).fill(`{"title": "${page === first.page ? 'three' : 'four'}"}`)
    }
    await first.page.getByRole('button', { name: 'Add version 3' }).click()
    await first.page.waitForURL('**?version=3')
    await second.page.getByRole('button', { name: 'Add version 3' }).click()
    await second.page.getByRole('button', { name: 'Add mine as version 4' }).click()
    await second.page.waitForURL('**?version=4')
    expect((await stored('schema.twice')).schemas).toMatchObject({ 3: { title: 'three' }, 4: { title: 'four' } })
    await first.close()
    await second.close()
  })

  test('is not held up by the editor at the keyboard', limit, async () => {
    await declare('schema.keys', { schemas: { 1: { title: 'one' } } })
    const { page, close } = await stage.open(server, { path: 'event-types/schema.keys' })
    const field = schemaField(page)
    const focused = (): Promise<string> =>
      page.evaluate<string>('document.activeElement.name ?? document.activeElement.textContent')
    await field.focus()
    await page.keyboard.press('Tab')
    expect(await focused()).not.toBe('schema')
    const before = await field.inputValue()

    await field.click()
    await page.keyboard.press('ControlOrMeta+Home')
    await page.keyboard.press('Tab')
    expect(await field.inputValue()).toBe(`  ${before}`)
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.press('Tab')
    expect(await field.inputValue()).toBe(`  ${before}`.replaceAll(/^/gm, '  '))
    await page.keyboard.press('ControlOrMeta+z')
    await page.keyboard.press('ControlOrMeta+z')
    expect(await field.inputValue()).toBe(before)
    await page.keyboard.press('Shift+Tab')
    expect(await focused()).not.toBe('schema')
    await field.click()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    expect(await focused()).not.toBe('schema')
    expect(await field.inputValue()).toBe(before)
    await close()
  })

  test('sees clear words for a type that does not exist, and finds one by the palette', limit, async () => {
    await declare('palette.type')
    const { page, close } = await stage.open(server, { path: 'event-types/no.such' })
    await page.getByText('Expected `event type` to be the name of one that exists, got "no.such".').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('palette.ty')
    await page.getByRole('option', { name: 'palette.type' }).click()
    await page.getByText('About palette.type.').waitFor()
    expect(page.url()).toBe(`${server.url}event-types/palette.type`)
    await close()
  })

  test('who may only read sees the schema and its example, and changes nothing', limit, async () => {
    await declare('schema.read', { schemas: { 1: schema } })
    const { token: key } = await server.call<{ token: string }>('POST', 'key', { name: 'reader', access: 'read' })
    const { page, complaints, close } = await stage.open(server, { path: 'event-types/schema.read', key })
    await page.getByRole('region', { name: 'Schema of schema.read' }).getByText('"required": [').waitFor()
    await page.getByRole('region', { name: 'Example of schema.read' }).getByText('"total": 1').waitFor()
    for (const name of ['Edit', 'Archive', 'Add version 2', 'Remove', 'Delete the event type'])
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    expect(complaints).toEqual([])
    await close()
  })
})

describe('a place in JSON', () => {
  const text = '{\n  "a/b": [1, { "c~": "x,:{}" }],\n  "d": {},\n  "e": []\n}'
  test.each([
    ['#', 1, '{'],
    ['#/a~1b', 2, '['],
    ['#/a~1b/0', 2, '1'],
    ['#/a~1b/1', 2, '{'],
    ['#/a~1b/1/c~0', 2, '"x,:{}"'],
    ['#/d', 3, '{}'],
    ['#/e', 4, '[]'],
  ])('%s is on line %i', (pointer, line, begins) => {
    const position = positionAt(text, pointer) ?? -1
    expect(text.slice(position)).toMatch(new RegExp(`^${begins.replaceAll(/[[{}]/g, String.raw`\$&`)}`))
    expect(lineOf(text, position)).toMatch(new RegExp(`^line ${line}, column \\d+$`))
  })

  test('that is not there is nowhere', () => {
    for (const pointer of ['#/x', '#/d/0', '#/e/0', '#/a~1b/2', '']) expect(positionAt(text, pointer)).toBeNull()
    expect(jsonFault(text)).toBeNull()
  })
})

test('versions are in the order of their numbers, and the next is one more than the highest', () => {
  const schemas = { 10: 'ten', 9: 'nine', v2: 'two' }
  expect(versionsOf(schemas)).toEqual(['9', '10', 'v2'])
  expect(newestSchema({ 10: 'ten', 9: 'nine' })).toBe('ten')
  expect(nextVersion(schemas)).toBe('11')
  expect(nextVersion({ v2: 'two', draft: 'x' })).toBe('3')
  expect([versionsOf(null), newestSchema(null), nextVersion(null)]).toEqual([[], undefined, '1'])
})
