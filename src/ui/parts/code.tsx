import { useState } from 'preact/hooks'
import { browserClock } from '../clock.ts'
import { notify } from '../state/notices.ts'
import { Icon } from './icons.tsx'

const saysCopiedMs = 2_000

/** False if the browser does not allow it: outside a secure context there is no clipboard. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** Copies text of the page, and says so if that was not possible. */
async function copyShown(text: string): Promise<boolean> {
  const isCopied = await copyText(text)
  if (!isCopied) notify('bad', 'The browser did not allow copying. Select the text and copy it by hand.')
  return isCopied
}

function Copy({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false)
  async function copy(): Promise<void> {
    if (!(await copyShown(text))) return
    setCopied(true)
    browserClock.after(saysCopiedMs, () => setCopied(false))
  }
  return (
    <button type="button" class="button small quiet" onClick={() => void copy()} aria-live="polite">
      <Icon name={copied ? 'check' : 'copy'} />
      {copied ? 'Copied' : label}
    </button>
  )
}

/** Preformatted text with a button that copies it. */
export function Code({ text, label, whole = text }: { text: string; label: string; whole?: string }) {
  return (
    <div class="code">
      <Copy text={whole} />
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
    </div>
  )
}

/** An id with a button that copies it. */
export function Id({ id }: { id: string }) {
  return (
    <span class="id">
      <code>{id}</code>
      <button type="button" class="bare" aria-label={`Copy ${id}`} onClick={() => void copyShown(id)}>
        <Icon name="copy" />
      </button>
    </span>
  )
}
