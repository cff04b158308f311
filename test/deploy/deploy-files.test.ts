import { describe, expect, test } from 'vitest'
import { settings } from '../../src/config/settings.ts'
import { settingsFrom } from '../../src/config/sources.ts'
import { composeCommands, deployFile, deployFiles } from './deploy-files.ts'

const stopSeconds = 45
const { port, shutdownGraceMs } = settingsFrom([])
const manifests = ['kubernetes/migrate.yaml', 'kubernetes/server.yaml', 'kubernetes/workers.yaml']
const units = ['systemd/posthorn.service', 'systemd/posthorn-worker@.service']

test('every variable in deploy/ is a setting', () => {
  const known = new Set(Object.values(settings).flatMap(({ env }) => env))
  const used = deployFiles().flatMap((path) =>
    [...deployFile(path).matchAll(/\bPOSTHORN_[A-Z_]+\b/g)].map(([name]) => name.replace(/_FILE$/, '')),
  )
  expect(used).toContain('POSTHORN_SECRETS_KEY')
  expect([...new Set(used)].filter((name) => !known.has(name))).toEqual([])
})

describe('a stop has longer than the grace', () => {
  test('of the default', () => {
    expect(stopSeconds * 1_000).toBeGreaterThan(shutdownGraceMs)
  })

  test('under compose, in every service', () => {
    const text = deployFile('docker/compose.yml')
    expect(text.match(/^ +stop_grace_period: .*$/gm)?.map((line) => line.trim())).toEqual(
      Array.from({ length: 4 }, () => `stop_grace_period: ${stopSeconds}s`),
    )
  })

  test.each(units)('under systemd: %s', (path) => {
    expect(deployFile(path)).toMatch(new RegExp(`^TimeoutStopSec=${stopSeconds}$`, 'm'))
  })

  test.each(manifests)('under Kubernetes: %s', (path) => {
    expect(deployFile(path)).toMatch(new RegExp(`^ +terminationGracePeriodSeconds: ${stopSeconds}$`, 'm'))
  })
})

describe('nothing runs as root, or writes where it need not', () => {
  test('in the image, which has a health check', () => {
    const image = deployFile('docker/Dockerfile')
    const last = image.slice(image.lastIndexOf('\nFROM '))
    expect(last).toMatch(/^USER 1000:1000$/m)
    expect(last).toMatch(/^HEALTHCHECK /m)
    expect(last).toContain('/readyz')
    expect(last).toMatch(/^ENTRYPOINT \["node", "dist\/cli\/main.js"\]$/m)
  })

  test('under compose', () => {
    expect(deployFile('docker/compose.yml')).toMatch(
      /^x-posthorn: &posthorn\n(?: .*\n)* {2}read_only: true\n {2}cap_drop: \[ALL\]$/m,
    )
  })

  test.each(units)('under systemd: %s', (path) => {
    for (const line of ['User=posthorn', 'NoNewPrivileges=yes', 'ProtectSystem=strict', 'CapabilityBoundingSet='])
      expect(deployFile(path).split('\n')).toContain(line)
  })

  test.each(manifests)('under Kubernetes: %s', (path) => {
    const lines = deployFile(path)
      .split('\n')
      .map((line) => line.trim())
    for (const line of ['runAsNonRoot: true', 'readOnlyRootFilesystem: true', 'allowPrivilegeEscalation: false'])
      expect(lines).toContain(line)
  })
})

test('compose runs a server that only answers, two workers and a migration before them', () => {
  expect(composeCommands()).toEqual({
    server: ['serve', '--no-worker'],
    'worker-1': ['worker'],
    'worker-2': ['worker'],
    migrate: ['migrate'],
  })
})

test('the units of systemd start the same commands', () => {
  expect(commandOf('systemd/posthorn.service')).toBe('serve')
  expect(commandOf('systemd/posthorn-worker@.service')).toBe('worker')
})

test('Kubernetes does not set POSTHORN_PORT to the address of the Service of that name', () => {
  for (const path of manifests) expect(deployFile(path)).toMatch(/^ +enableServiceLinks: false$/m)
})

test.each(['kubernetes/server.yaml', 'kubernetes/workers.yaml'])(
  '%s has probes and a budget of disruptions',
  (path) => {
    const text = deployFile(path)
    expect(text).toMatch(/livenessProbe:\n +httpGet: \{ path: \/livez, port: metrics \}/)
    expect(text).toMatch(/readinessProbe:\n +httpGet: \{ path: \/readyz, port: metrics \}/)
    expect(text).toMatch(/^kind: PodDisruptionBudget$/m)
  },
)

test('the ports are those of the settings', () => {
  for (const path of [
    'docker/Dockerfile',
    'docker/compose.yml',
    'kubernetes/server.yaml',
    'proxy/nginx.conf',
    'proxy/Caddyfile',
  ])
    expect(deployFile(path)).toContain(String(port))
  for (const path of ['docker/Dockerfile', 'docker/compose.yml', 'kubernetes/config.yaml'])
    expect(deployFile(path)).toMatch(/POSTHORN_METRICS_PORT[:=] ?'?9464/)
  expect(deployFile('prometheus/prometheus.yml')).toContain("['server:9464', 'worker-1:9464', 'worker-2:9464']")
})

test('proxies pass events on as they come, and wait for the next', () => {
  const nginx = deployFile('proxy/nginx.conf')
  const stream = nginx.slice(nginx.indexOf('location /api/v1/stream'))
  expect(stream).toMatch(/^ +proxy_buffering off;$/m)
  expect(stream).toMatch(/^ +proxy_read_timeout 1h;$/m)
  const caddy = deployFile('proxy/Caddyfile')
  expect(caddy).toMatch(/^\s+flush_interval -1$/m)
  expect(caddy).toMatch(/^\s+read_timeout 1h$/m)
})

function commandOf(unit: string): string | undefined {
  return /^ExecStart=\/usr\/bin\/node \S+\/dist\/cli\/main\.js (.*)$/m.exec(deployFile(unit))?.[1]
}
