import { describe, expect, test } from 'vitest'
import { loadPg } from '../../src/stores/postgres/load-driver.ts'
import { loadDriver } from '../../src/stores/sqlite/load-driver.ts'

describe('the driver of SQLite', () => {
  test('is the package where it is installed, whatever Node has', () => {
    const load = loads('@photostructure/sqlite', 'node:sqlite')
    expect(loadDriver(load, { node: '24.21.0', sqlite: '3.53.4' })).toBe('@photostructure/sqlite')
    expect(loadDriver(load, { node: '20.19.0' })).toBe('@photostructure/sqlite')
  })

  test.each(['3.51.3', '3.53.4'])('without it, is that of Node if its SQLite is safe, as %s is', (sqlite) => {
    expect(loadDriver(loads('node:sqlite'), { node: '24.21.0', sqlite })).toBe('node:sqlite')
  })

  test.each([
    [{ node: '20.19.0' }, 'Node 20.19.0 has no SQLite.'],
    [{ node: '22.12.0', sqlite: '3.47.0' }, 'Node 22.12.0 has SQLite 3.47.0, which can lose committed writes.'],
  ])('without either, one line says what to install: %j', (versions, ofNode) => {
    expect(() => loadDriver(loads('node:sqlite'), versions)).toThrow(
      expect.objectContaining({
        code: 'driver_missing',
        message: `Expected a driver of SQLite, got "Cannot find module '@photostructure/sqlite'", and ${ofNode} Install it: npm install @photostructure/sqlite; or use a Node with SQLite 3.51.3 or later, such as 24.`,
      }),
    )
  })
})

test('without the driver of PostgreSQL, one line says what to install', () => {
  expect(loadPg(loads('pg'))).toBe('pg')
  expect(() => loadPg(loads())).toThrow(
    expect.objectContaining({
      code: 'driver_missing',
      message:
        'Expected the package `pg`, which talks to PostgreSQL, got "Cannot find module \'pg\'". Install it: npm install pg',
    }),
  )
})

/** Loads these by their names, and fails as Node does for all others. */
function loads(...installed: string[]): (name: string) => unknown {
  return (name) => {
    if (installed.includes(name)) return name
    throw new Error(`Cannot find module '${name}'\nRequire stack:\n- /app/node_modules/posthorn/dist/index.js`)
  }
}
