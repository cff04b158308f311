// The commands of a fence, one after the other, as a reader would type them.
import { readFileSync } from 'node:fs'
import { commandsOf } from './commands.js'
import { run, says, start, stop } from '../processes.js'

/** Those that go on until they are stopped, and what they say when they are ready. */
const lasting = [
  [/\bposthorn (serve|worker)\b/, /posthorn (listening|metrics) on|"event":"started"|started/],
  [/\bposthorn dev\b(?!.*--once)|\bnpm start\b/, /http:\/\/127\.0\.0\.1:\d+/],
  [/\bposthorn listen\b/, /Listening on/],
  [/\bposthorn tail\b/, /^Watching /m],
]
const isServer = /\bposthorn (serve|dev)\b|\bnpm start\b/
/** A machine may really have something wrong with it. */
const mayFail = [[/^posthorn doctor\b/, [0, 1]]]
/** How curl ends after an answer that is an error. */
const refused = 22

export async function runShell(fence, stage) {
  const commands = commandsOf(fence.code)
  for (const [index, written] of commands.entries()) {
    const command = stage.fill(written)
    const isShown = fence.isShown === true && index === commands.length - 1
    if (command.startsWith('export ')) await exportVariables(command, stage)
    else if (command.startsWith('cd ')) {
      await run([...stage.prelude, command].join('\n'), placeOf(stage, command))
      stage.prelude.push(command)
    } else await runOne(command, stage, isShown)
  }
}

/** Once: a key that is drawn anew for every command would be another one each time. */
async function exportVariables(command, stage) {
  const names = [...command.matchAll(/(?<= )(\w+)=/g)].map(([, name]) => name)
  const shown = names.map((name) => `"$${name}"`).join(' ')
  const { stdout } = await run(`${command}\nprintf '%s\\0' ${shown}`, placeOf(stage, command))
  const values = stdout.split('\0')
  names.forEach((name, index) => (stage.env[name] = values[index]))
}

/** Servers of one page share a port: a reader ends one before the next. */
async function endServers(stage) {
  for (const program of stage.running.filter((one) => isServer.test(one.command))) await stop(program)
  stage.running = stage.running.filter((one) => !isServer.test(one.command))
}

async function runOne(command, stage, isShown) {
  const text = [...stage.prelude, command].join('\n')
  const place = placeOf(stage, command)
  const [, ready] = lasting.find(([form]) => form.test(command) && !/--help|--once/.test(command)) ?? []
  if (ready === undefined) {
    const [, allowed] = mayFail.find(([form]) => form.test(command)) ?? []
    // Where the page shows the answer, it may show an error.
    const fine = isShown && command.startsWith('curl ') ? [0, refused] : allowed
    stage.last = await run(text, place, fine)
    stage.note(stage.last.all)
    return
  }
  if (isServer.test(command)) await endServers(stage)
  const program = start(text, place)
  stage.last = program
  stage.running.push(program)
  await says(program, ready)
  stage.note(program.all)
  // On a terminal the first start shows the key itself.
  const [, keyFile] = /^posthorn admin key is in (.+?), /m.exec(program.all) ?? []
  if (keyFile !== undefined) stage.note(readFileSync(keyFile, 'utf8'))
  if (/\bposthorn tail\b/.test(command)) await stop(program, 'SIGINT')
}

/** What begins with `npm ci` runs in a fresh clone of the project, all else in the page's own folder. */
function placeOf(stage, command) {
  return { cwd: /\bnpm ci\b/.test(command) ? stage.world.freshClone() : stage.folder, env: stage.env }
}
