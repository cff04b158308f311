import { dirname, join } from 'node:path/posix'
import { importsOf, readSource } from './source.ts'

/** A law of the tree: a pure check of one file below `src`, which says what is broken, or nothing. */
export interface Law {
  readonly name: string
  readonly check: (path: string, text: string) => string[]
}

/** The laws of the design (docs/architecture.md), as far as a text can show that they are kept. */
export const laws: readonly Law[] = [
  { name: 'core imports only core, and node:crypto where it signs or makes ids', check: coreImports },
  { name: 'core knows no time, chance, timer, process, console or network', check: corePurity },
  {
    name: 'engine, stores and transport import core and themselves, never each other; ui also the schemas of the server',
    check: layers,
  },
  { name: 'ui takes only types of core and of server/schemas, and writes text, never HTML', check: uiTypes },
  { name: 'a store is handed in: only its own folder loads its driver', check: drivers },
  { name: 'only clock.ts reads time or chance, and ui/clock.ts in the browser', check: timeAndChance },
  { name: 'only config/environment.ts reads the environment', check: environment },
  { name: 'only cli/main.ts ends the process', check: processEnd },
  { name: 'only stores know columns and write SQL', check: columns },
  { name: 'in stores, only the files of shared/rows read columns into fields', check: mapping },
  { name: 'every update of a delivery names owner and epoch, or raises the epoch', check: fencing },
  { name: 'SQL stores, it does not decide: no backoff in stores', check: backoffInStores },
  { name: 'the heartbeat is scheduled in engine, its SQL is in stores', check: heartbeatLayers },
]

const cryptoInCore = new Set([
  'core/signing/signature.ts',
  'core/signing/verify.ts',
  'core/signing/debug/mistakes.ts',
  'core/ids.ts',
])

export function coreImports(path: string, text: string): string[] {
  if (folderOf(path) !== 'core') return []
  return importsOf(readSource(text))
    .filter(
      (name) =>
        !(isRelative(name)
          ? folderOf(resolve(path, name)) === 'core'
          : name === 'node:crypto' && cryptoInCore.has(path)),
    )
    .map((name) => `${path} imports ${name}`)
}

const impure =
  /\b(Date|Math\.random|setTimeout|setInterval|setImmediate|queueMicrotask|process|console|fetch|performance|globalThis)\b/g

export function corePurity(path: string, text: string): string[] {
  if (folderOf(path) !== 'core') return []
  const { code } = readSource(text)
  // The one exception formats an instant that was handed in.
  const checked = path === 'core/time.ts' ? code.replace('new Date(at).toISOString()', '') : code
  return uses(path, checked, impure)
}

/** Whom a folder may import besides itself; folders that are not named may import all. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  engine: ['core'],
  stores: ['core'],
  transport: ['core'],
  metrics: ['core'],
  ui: ['core', 'server/schemas'],
  server: ['core', 'posthorn.ts'],
}

export function layers(path: string, text: string): string[] {
  const own = folderOf(path)
  const allowed = mayImport[own]
  if (allowed === undefined) return []
  return importsOf(readSource(text))
    .filter((name) => isRelative(name) && ![own, ...allowed].some((folder) => isWithin(folder, resolve(path, name))))
    .map((name) => `${path} imports ${name}`)
}

/** What the browser runs is the dashboard's own; markup that came from elsewhere would run too. */
const markup = /\b(innerHTML|outerHTML|dangerouslySetInnerHTML|insertAdjacentHTML|srcdoc|document\.write|style=)/g

export function uiTypes(path: string, text: string): string[] {
  if (folderOf(path) !== 'ui') return []
  const source = readSource(text)
  const values = [
    ...source.uncommented.matchAll(/^\s*(?:import|export)\s+(?!type\b)[^'"]*?from\s+['"]([^'"]+)['"]/gm),
  ].map((match) => match[1] ?? '')
  const strays = values.filter((name) => isRelative(name) && folderOf(resolve(path, name)) !== 'ui')
  return [...strays.map((name) => `${path} imports values of ${name}`), ...uses(path, source.code, markup)]
}

const driverHomes: readonly (readonly [driver: string, home: string])[] = [
  ['pg', 'stores/postgres/'],
  ['@photostructure/sqlite', 'stores/sqlite/'],
  ['undici', 'transport/'],
  ['prom-client', 'metrics/'],
]

export function drivers(path: string, text: string): string[] {
  const source = readSource(text)
  const imports = importsOf(source)
  // An optional one is loaded by its name.
  const named = new Set([...imports, ...source.strings])
  const strays = driverHomes.filter(([driver, home]) => named.has(driver) && !path.startsWith(home))
  // What every user loads must not load a store.
  const stores = ['index.ts', 'posthorn.ts'].includes(path)
    ? imports.filter((name) => folderOf(resolve(path, name)) === 'stores')
    : []
  return [...strays.map(([driver]) => driver), ...stores].map((name) => `${path} imports ${name}`)
}

const time = String.raw`Date\.now|new Date\s*\(\s*\)|(?<!new )\bDate\s*\(|setTimeout|setInterval|performance\.now|hrtime|AbortSignal\.timeout`
const chance = String.raw`Math\.random|random(?:Bytes|Fill|FillSync|UUID|Int)|getRandomValues|generateKey\w*`
const timeOrChance = new RegExp(
  String.raw`(?<![\w.])(?:(?:process|globalThis|crypto)\.)?(?:${time}|${chance})(?!\w)`,
  'g',
)

/** Who else may draw random numbers, and how; each is there because its result must not come from a seed. */
export const chanceExceptions: Readonly<Record<string, readonly string[]>> = {
  // Keys and nonces.
  'stores/shared/secrets.ts': ['randomBytes'],
  // Secrets of endpoints.
  'api/endpoint/secrets.ts': ['randomBytes'],
  // Keys of the HTTP API.
  'api/keys.ts': ['randomBytes'],
  // Ids of audit entries, which a store gives by itself.
  'stores/shared/strong-random.ts': ['randomFillSync'],
  // How long turns of the loop take; nothing that is stored depends on it.
  'stores/shared/batching/lane.ts': ['performance.now'],
  // Durations, finer than the clock gives them; nothing that is stored depends on it.
  'metrics/engine-meter.ts': ['performance.now'],
}

export function timeAndChance(path: string, text: string): string[] {
  // The dashboard runs in a browser, and has its one file as well.
  if (path === 'clock.ts' || path === 'ui/clock.ts') return []
  const source = readSource(text)
  const timers = importsOf(source).filter((name) => /^(node:)?timers(\/|$)/.test(name))
  const allowed = chanceExceptions[path] ?? []
  const found = uses(path, source.code, timeOrChance).filter(
    (violation) => !allowed.some((name) => violation.endsWith(` ${name}`)),
  )
  return [...timers.map((name) => `${path} imports ${name}`), ...found]
}

export function environment(path: string, text: string): string[] {
  if (path === 'config/environment.ts') return []
  const source = readSource(text)
  return [...uses(path, source.code, /\bprocess\s*\??\.\s*env\b/g), ...processImports(path, source.uncommented, 'env')]
}

export function processEnd(path: string, text: string): string[] {
  if (path === 'cli/main.ts') return []
  const source = readSource(text)
  return [
    ...uses(path, source.code, /\bprocess\s*\??\.\s*(exit|abort|kill|reallyExit)\b(?!Code)/g),
    ...processImports(path, source.uncommented, 'exit'),
  ]
}

/** Columns that are no field of an event: `core/ports/events.ts` shares the others with the rows of deliveries. */
const columnsOnly =
  /\b(lease_owner|lease_until|lease_epoch|crash_count|last_attempted_at|requeued_at|target_url|created_at|updated_at)\b/g
const statement =
  /(?:^|\n)\s*(select\s[^;]*\sfrom\s+\S|insert into\s+\S|update\s+\S+\s+set\s|delete from\s+\S|create (table|index|unique index)\s|alter table\s)/
const tables = /\b(webhook_deliveries|posthorn_[a-z_]+)\b/

export function columns(path: string, text: string): string[] {
  if (folderOf(path) === 'stores') return []
  const { code, strings } = readSource(text)
  const quoted = strings.flatMap((each) =>
    [...each.matchAll(new RegExp(`${columnsOnly.source}|\\bnext_retry_at\\b`, 'g'))].map(([name]) => name),
  )
  // The names of metrics begin like those of our indexes; who imports core alone reaches no database.
  const isMetrics = folderOf(path) === 'metrics'
  const written = strings.filter((each) => statement.test(each) || (!isMetrics && tables.test(each)))
  return [
    ...uses(path, code, columnsOnly),
    ...quoted.map((name) => `${path} quotes ${name}`),
    ...written.map((each) => `${path} writes SQL: ${firstLine(each)}`),
  ]
}

export function mapping(path: string, text: string): string[] {
  if (folderOf(path) !== 'stores' || path.startsWith('stores/shared/rows/')) return []
  const { code, uncommented } = readSource(text)
  const dotted = [...code.matchAll(/\.([a-z]+(?:_[a-z]+)+)\b/g)]
  const bracketed = [...uncommented.matchAll(/[\w)\]]\[['"]([a-z]+(?:_[a-z]+)+)['"]\]/g)]
  return [...dotted, ...bracketed].map(([, name]) => `${path} reads ${name}`)
}

const updateOfDelivery = /\bupdate\s+(?:\$\{[^}]*deliver[^}]*\}|(?:\S+\.)?webhook_deliveries)/i

/** The statements of a file that change deliveries, as they are written. */
export function deliveryUpdates(text: string): string[] {
  return readSource(text)
    .strings.flatMap((each) => each.split(';'))
    .filter((each) => updateOfDelivery.test(each))
}

export function fencing(path: string, text: string): string[] {
  // A migration changes what a column means, and decides nothing about a delivery that somebody may hold.
  if (path === 'stores/shared/schema/versions-1-to-7.ts') return []
  return deliveryUpdates(text)
    .filter((update) => !raisesEpoch(update) && !namesOwnerAndEpoch(update))
    .map((update) => `${path} changes deliveries without a fence: ${firstLine(update)}`)
}

const decided = /\bnext_retry_at\s*=\s*[^,\n]*(\s[+*]\s|<<|\^|\bpower\s*\(|\bpow\s*\(|\binterval\b)/i
const deciders = new Set(['core/delivery/retry-policy.ts', 'core/delivery/presets.ts'])

export function backoffInStores(path: string, text: string): string[] {
  if (folderOf(path) !== 'stores') return []
  const source = readSource(text)
  return [
    ...source.strings
      .filter((each) => decided.test(each))
      .map((each) => `${path} computes next_retry_at: ${firstLine(each)}`),
    ...importsOf(source)
      .filter((name) => isRelative(name) && deciders.has(resolve(path, name)))
      .map((name) => `${path} imports ${name}`),
  ]
}

/** LH-layers. Who may schedule renewals: the engine; who may write them down: the stores. */
export function heartbeatLayers(path: string, text: string): string[] {
  const source = readSource(text)
  const folder = folderOf(path)
  const interval =
    folder === 'engine' || path === 'core/delivery/lease.ts'
      ? []
      : uses(path, source.code, /\b(heartbeatMs|renewalGivesUpAt|makeHeartbeat)\b/g)
  const sql =
    folder === 'stores'
      ? []
      : source.strings.filter((each) => /\blease_until\b/.test(each)).map(() => `${path} writes the SQL of a renewal`)
  return [
    ...interval,
    ...sql,
    ...(folder === 'stores' ? renewalTimers(path, source.code, source.strings) : renewalCalls(path, source.code)),
  ]
}

/** A store that prolongs leases must not also decide when. */
function renewalTimers(path: string, code: string, strings: readonly string[]): string[] {
  if (!strings.some((each) => /\blease_until\s*=/.test(each))) return []
  return uses(path, code, /(\.after\s*\(|\bsetTimeout\b|\bsetInterval\b)/g)
}

/** Test doubles pass renewals on; nobody else but the engine asks for one. */
function renewalCalls(path: string, code: string): string[] {
  return ['engine', 'testing'].includes(folderOf(path)) ? [] : uses(path, code, /\bqueue\s*\??\.\s*renew\b/g)
}

function raisesEpoch(update: string): boolean {
  return /\blease_epoch\s*=\s*(\w+\.)?lease_epoch\s*\+\s*1\b/i.test(update)
}

function namesOwnerAndEpoch(update: string): boolean {
  const where = update.slice(update.search(/\bwhere\b/i))
  return (
    /\bwhere\b/i.test(where) &&
    /\blease_owner\b(?: \|\| '')?\s*(=|is not distinct from)/i.test(where) &&
    /\blease_epoch\b/i.test(where)
  )
}

function processImports(path: string, uncommented: string, name: string): string[] {
  const imported = new RegExp(`import\\s*\\{[^}]*\\b${name}\\b[^}]*\\}\\s*from\\s+['"](node:)?process['"]`)
  return imported.test(uncommented) ? [`${path} imports ${name} of node:process`] : []
}

function uses(path: string, code: string, forbidden: RegExp): string[] {
  return [...code.matchAll(forbidden)].map(([name]) => `${path} uses ${name.trim()}`)
}

/** The first folder of a path, or the file itself if it lies at the root. */
function folderOf(path: string): string {
  return path.split('/', 1)[0] ?? path
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

function isRelative(name: string): boolean {
  return name.startsWith('.')
}

function resolve(path: string, name: string): string {
  return join(dirname(path), name)
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? ''
}
