/** One event of a stream, with its data as parsed JSON. */
export interface StreamEvent {
  readonly id: string | null
  readonly type: string
  readonly data: unknown
}

/** Reads server-sent events; skips comments and an incomplete event at the end. */
export async function* readEvents(stream: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncIterable<StreamEvent> {
  const reader = stream.getReader()
  const stop = (): void => void reader.cancel().catch(() => undefined)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + decoder.decode(value, { stream: true })).replaceAll('\r\n', '\n').split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = eventIn(block)
        if (event !== null) yield event
      }
    }
  } catch {
    // The other side broke off: whatever the reason, the stream has ended.
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

function eventIn(block: string): StreamEvent | null {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^([a-z]+): ?(.*)$/.exec(line) ?? []
    if (name === undefined) continue
    const before = fields.get(name)
    fields.set(name, before !== undefined && name === 'data' ? `${before}\n${value}` : value)
  }
  const data = fields.get('data')
  return data === undefined
    ? null
    : { id: fields.get('id') ?? null, type: fields.get('event') ?? 'message', data: JSON.parse(data) }
}
