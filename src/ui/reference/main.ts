import { followAddress } from './address.ts'
import { offerCopies } from './copies.ts'
import { filterAsTyped } from './filter.ts'

const theme = localStorage.getItem('posthorn.theme')
if (theme !== null) document.documentElement.dataset['theme'] = theme
for (const each of document.querySelectorAll('.origin')) each.textContent = document.baseURI.replace(/\/$/, '')

openMenu()
offerCopies()
filterAsTyped()
followAddress()

/** On a phone the sections are behind a button, and are hidden again when one is chosen. */
function openMenu(): void {
  const button = document.querySelector<HTMLButtonElement>('.menu')
  const navigation = document.querySelector('#navigation')
  function show(isOpen: boolean): void {
    navigation?.classList.toggle('open', isOpen)
    button?.setAttribute('aria-expanded', String(isOpen))
  }
  button?.addEventListener('click', () => show(button.ariaExpanded !== 'true'))
  navigation?.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a') !== null) show(false)
  })
}
