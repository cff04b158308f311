import { browserClock } from '../clock.ts'

const saysCopiedMs = 2_000

/** A button on every block of code that copies it. */
export function offerCopies(): void {
  for (const block of document.querySelectorAll<HTMLElement>('.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'button small quiet'
    button.ariaLive = 'polite'
    button.textContent = 'Copy'
    button.addEventListener('click', () => void copy(block.querySelector('pre')?.textContent ?? '', button))
    block.prepend(button)
  }
}

async function copy(text: string, button: HTMLButtonElement): Promise<void> {
  button.textContent = (await isCopied(text)) ? 'Copied' : 'Select it and copy by hand'
  browserClock.after(saysCopiedMs, () => (button.textContent = 'Copy'))
}

/** False if the browser does not allow it: outside a secure context there is no clipboard. */
async function isCopied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
