// Loads every export of the package by `require` and by `import`, and says what it got: the same modules, and no driver.
//   node load-all.cjs FOLDER     in which the package is installed
const { createRequire } = require('node:module')
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')

const load = createRequire(join(process.argv[2] ?? process.cwd(), 'program.cjs'))
const { exports: paths } = load('posthorn/package.json')
const names = Object.keys(paths)
  .filter((path) => path !== './package.json')
  .map((path) => join('posthorn', path))

void main()

async function main() {
  for (const name of names) {
    const required = load(name)
    const imported = await import(pathToFileURL(load.resolve(name)))
    // A module that was not one and the same would have a PosthornError of its own.
    if (Object.keys(required).length === 0 || Object.keys(required).some((key) => required[key] !== imported[key]))
      throw new Error(`Expected require and import of ${name} to be the same, got two.`)
  }
  const drivers = Object.keys(require.cache).filter((path) => /node_modules\/(pg|@photostructure)\//.test(path))
  if (drivers.length > 0) throw new Error(`Expected no driver before the first file or connection, got ${drivers[0]}.`)
  console.log(`loaded ${names.length} of ${names.length}`)
}
