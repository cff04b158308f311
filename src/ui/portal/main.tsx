import { render } from 'preact'
import { App } from './app.tsx'
import { sendHeight } from './frame.ts'
import { language, portal } from './settings.ts'

document.documentElement.lang = language
document.title = portal.name
sendHeight()

const root = document.getElementById('app')
if (root !== null) render(<App />, root)
