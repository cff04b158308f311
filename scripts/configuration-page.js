/** docs/configuration.md: every setting, from the same table that reads them. */
export function configurationPage(settings, described) {
  const rows = described.map(({ name, value, unit, sentence }) => {
    const { env, secret = false } = settings[name]
    const names = env.map((one) => `\`${one}\``).join(', ')
    return `| ${names}${secret ? ' (or `_FILE`)' : ''} | ${shown(value)}${unit === '' || value === null ? '' : ` ${unit}`} | ${escaped(sentence)}${value === null && unit !== '' ? ` ${capital(unit)}.` : ''} |`
  })
  return [
    '# Configuration',
    '',
    '<!-- Made by `npm run docs` from src/config/settings.ts: change it there. -->',
    '',
    'Everything has a default: `posthorn serve` starts without any setting. Flags win over the environment, the environment over the file,',
    'the file over the defaults. `posthorn config` shows every value and where it comes from. The library reads neither the environment nor a',
    'file: pass it `settingsFromEnvironment()`, or options of your own.',
    '',
    'The file is `posthorn.json` in the working directory, or the one that `POSTHORN_CONFIG` names: a JSON object with the names below. A name',
    'that is none of them is refused.',
    '',
    '```json',
    '{ "POSTHORN_DATABASE_URL": "sqlite:/var/lib/posthorn/posthorn.db", "POSTHORN_PORT": 8080, "POSTHORN_ALLOWED_TARGETS": ["10.0.0.0/8"] }',
    '```',
    '',
    'A secret is better kept in a file of its own: the name with `_FILE` at its end then gives the path. Secrets are never printed.',
    '',
    '| name | default | what it is |',
    '|---|---|---|',
    ...rows,
    '',
    'Colours are left out if `NO_COLOR` is set, or if the output is no terminal.',
    '',
  ].join('\n')
}

function shown(value) {
  if (value === null || (Array.isArray(value) && value.length === 0)) return '–'
  if (typeof value === 'boolean') return value ? '`1`' : '`0`'
  return `\`${String(value)}\``
}

function escaped(text) {
  return text.replaceAll('|', String.raw`\|`).replaceAll('*', String.raw`\*`)
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
