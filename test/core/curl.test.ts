import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { curlOf } from '../../src/core/signing/curl.ts'

/** What curl would be given, by a real shell; with what comes through the pipe, if something does. */
function given(command: string): string[] {
  const printed = command.replace(
    /(^|\| )curl /,
    (_, before: string) => `${before}sh -c 'printf "%s\\0" "$@"; case "$*" in *@-) cat;; esac' curl `,
  )
  return execFileSync('sh', ['-c', printed]).toString('latin1').split('\0')
}

test.each([
  ['plain', '{"a":1}'],
  ['with quotes, backslashes and dollars', `it's "\\n" $HOME \`id\` !`],
  ['with a line break', 'one\ntwo'],
  ['that looks like the name of a file', '@/etc/passwd'],
  ['empty', ''],
])('a body %s comes through the shell as it is', (_, body) => {
  const command = curlOf({
    url: "https://acme.example/it's?a=1&b=2",
    headers: { 'x-name': "O'Hara; rm -rf /" },
    body: Buffer.from(body),
  })
  expect(given(command)).toEqual([
    '-X',
    'POST',
    "https://acme.example/it's?a=1&b=2",
    '-H',
    "x-name: O'Hara; rm -rf /",
    '--data-raw',
    body,
    '',
  ])
})

test.each([
  ['no text', [0xff, 0xfe, 0x01]],
  ['with a zero in it', [0x61, 0x00, 0x62]],
])('a body that is %s comes through a pipe', (_, bytes) => {
  const command = curlOf({ url: 'https://acme.example', headers: {}, body: Uint8Array.from(bytes) })
  const [, , , option, source, ...rest] = given(command)
  expect([option, source]).toEqual(['--data-binary', '@-'])
  expect(Buffer.from(rest.join('\0'), 'latin1')).toEqual(Buffer.from(bytes))
})
