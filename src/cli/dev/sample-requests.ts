import { createInterface } from 'node:readline'
import type { Terminal } from '../command.ts'
import { sampleEndpoints } from './sample-endpoints.ts'

/** How to request another sample: with single keys on a terminal, otherwise with lines on stdin. */
export interface SampleRequests {
  readonly hint: string
  /** Calls back with the name of an endpoint for every request, until the returned function is called. */
  read(onRequest: (name: string) => void, onUnknown: (text: string) => void): () => void
}

export function sampleRequestsFrom(terminal: Terminal): SampleRequests {
  return terminal.input.isTTY && terminal.output.isTTY ? byKey(terminal) : byLine(terminal)
}

const controlC = '\x03'

function byKey({ input, interrupt }: Terminal): SampleRequests {
  const keys = sampleEndpoints.map(({ key, name }) => `${key} ${name}`)
  return {
    hint: `send one more: ${keys.join(' · ')} · q quit`,
    read(onRequest) {
      function pressed(text: string): void {
        for (const key of text) {
          const endpoint = sampleEndpoints.find((known) => known.key === key)
          if (endpoint !== undefined) onRequest(endpoint.name)
          if (key === 'q' || key === controlC) interrupt()
        }
      }
      // Without echo, typing does not disturb the table.
      input.setRawMode(true)
      input.setEncoding('utf8').on('data', pressed).resume()
      return () => {
        input.off('data', pressed)
        input.setRawMode(false)
        input.pause()
      }
    },
  }
}

function byLine({ input }: Terminal): SampleRequests {
  const names = sampleEndpoints.map(({ name }) => name).join(', ')
  return {
    hint: `Type ${names} and Enter to send one more sample there; Ctrl-C ends.`,
    read(onRequest, onUnknown) {
      const lines = createInterface({ input })
      lines.on('line', (line) => {
        const name = line.trim()
        if (sampleEndpoints.some((known) => known.name === name)) onRequest(name)
        else if (name !== '') onUnknown(`Expected one of ${names}, got "${name.slice(0, 100)}".`)
      })
      return () => {
        lines.close()
        input.destroy()
      }
    },
  }
}
