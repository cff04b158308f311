import { render } from 'preact'
import { App } from './app.tsx'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/parts.css'
import './styles/tables.css'
import './styles/charts.css'
import './styles/pages.css'

const root = document.getElementById('app')
if (root !== null) render(<App />, root)
