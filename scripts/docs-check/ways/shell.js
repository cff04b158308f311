// The commands of a code block, one after the other, as a reader would type them.
import { readFileSync } from 'node:fs'
import { commandsOf } from './commands.js'
import { run, says, start, stop } from '../processes.js'

/** Long-running commands, and what they print when they are ready. */
const lasting = [
  [/\bposthorn (serve|worker)\b/, /posthorn (listening|metrics) on|"event":"started"|started/],
  [/\bposthorn dev\b(?!.*--once)|\bnpm start\b/, /http:\/\/127\.0\.0\.1:\d+/],
  [/\bposthorn listen\b/, /Listening on/],
  [/\bposthorn tail\b/, /^Watching /m],
]
const isServer = /\bposthorn (serve|dev)\b|\bnpm start\b/
/** A machine may really have a problem. */
const mayFail = [[/^posthorn doctor\b/, [0, 1]]]
/** How curl exits after an error response. */
const refused = 22

export async function runShell(fence, setup) {
  const commands = commandsOf(fence.code)
  for (const [index, written] of commands.entries()) {
    const command = setup.fill(written)
    const isShown = fence.isShown === true && index === commands.length - 1
    if (command.startsWith('export ')) await exportVariables(command, setup)
    else if (command.startsWith('cd ')) {
      await run([...setup.prelude, command].join('\n'), placeOf(setup, command))
      setup.prelude.push(command)
    } else await runOne(command, setup, isShown)
  }
}

/** Once: a key that is generated for every command would be a different one each time. */
async function exportVariables(command, setup) {
  const names = [...command.matchAll(/(?<= )(\w+)=/g)].map(([, name]) => name)
  const shown = names.map((name) => `"$${name}"`).join(' ')
  const { stdout } = await run(`${command}\nprintf '%s\\0' ${shown}`, placeOf(setup, command))
  const values = stdout.split('\0')
  names.forEach((name, index) => (setup.env[name] = values[index]))
}

/** Servers of one page share a port: a reader ends one before the next. */
async function endServers(setup) {
  for (const program of setup.running.filter((one) => isServer.test(one.command))) await stop(program)
  setup.running = setup.running.filter((one) => !isServer.test(one.command))
}

async function runOne(command, setup, isShown) {
  const text = [...setup.prelude, command].join('\n')
  const place = placeOf(setup, command)
  const [, ready] = lasting.find(([form]) => form.test(command) && !/--help|--once/.test(command)) ?? []
  if (ready === undefined) {
    const [, allowed] = mayFail.find(([form]) => form.test(command)) ?? []
    // If the page shows the response, it may be an error.
    const fine = isShown && command.startsWith('curl ') ? [0, refused] : allowed
    setup.last = await run(text, place, fine)
    setup.note(setup.last.all)
    return
  }
  if (isServer.test(command)) await endServers(setup)
  const program = start(text, place)
  setup.last = program
  setup.running.push(program)
  await says(program, ready)
  setup.note(program.all)
  // On a terminal the first start shows the key itself.
  const [, keyFile] = /^posthorn admin key is in (.+?), /m.exec(program.all) ?? []
  if (keyFile !== undefined) setup.note(readFileSync(keyFile, 'utf8'))
  if (/\bposthorn tail\b/.test(command)) await stop(program, 'SIGINT')
}

/** Commands that begin with `npm ci` run in a fresh clone of the project, all others in the page's own folder. */
function placeOf(setup, command) {
  return { cwd: /\bnpm ci\b/.test(command) ? setup.world.freshClone() : setup.folder, env: setup.env }
}
