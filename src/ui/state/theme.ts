import { effect, signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

export const theme = signal<Theme>(storedTheme())
effect(() => {
  document.documentElement.dataset['theme'] = theme.value
  localStorage.setItem('posthorn.theme', theme.value)
})

function storedTheme(): Theme {
  const stored = localStorage.getItem('posthorn.theme')
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}
