// Real processes, real faults: damages workers, the database or the disk while messages are sent, and counts what the receiver got. Ends
// with "accepted N delivered N dead 0 lost 0 repeats R explained R"; exit code 1 if anything is lost, dead, open or unexplained.
//   npm run crash -- --store sqlite|postgres [--database url] [--workers N] [--seed S] [--lease ms] [--limit s] [--thread] [--verbose] and one of
//     --kills K --restarts R   kills and restarts at random instants (if no mode is given)
//     --loop N                 a crash loop of N kills, lives shorter than a lease
//     --poison                 one delivery that crashes its worker each time; with --rounds, how often at least; with --delay, how many ms
//                              after it came (innocent ones that are sent with it twice wait for minutes: 0 is the hardest)
//     --stop                   SIGSTOP past two leases, then SIGCONT; with --rounds, how often, as those below
//     --partition              a worker cut off from PostgreSQL
//     --disk                   a full disk, then freed
//     --clock                  clocks an hour off
//   On SQLite, --thread lets the process deliver in a thread of its own.
import { readOptions, refuse } from './options.js'
import { run } from './run.js'
import { runWithOwnMounts } from './small-disk.js'

const options = readOptions()
const { mode } = options
// A disk is mounted where only this run sees it: everything then happens in a second process.
const code = mode.makeDisk === undefined ? null : await runWithOwnMounts()
if (code === null) process.exitCode = await run({ ...options, disk: diskFor(options) })
else process.exitCode = code

/** A mode that cannot run here must not look as if it had. */
function diskFor(given) {
  try {
    return mode.makeDisk?.(given) ?? null
  } catch (thrown) {
    return refuse(thrown.message)
  }
}
