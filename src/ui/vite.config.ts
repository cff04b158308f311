import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { strings } from './portal/strings.ts'

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

// All addresses in the page are relative: the server sets the path of the dashboard in `<base href>`.
export default defineConfig({
  root: folder('.'),
  base: './',
  logLevel: 'warn',
  plugins: [
    {
      // The strings of the portal as a file: the server checks translations against it, and translators start from it.
      name: 'portal-strings',
      generateBundle() {
        this.emitFile({ type: 'asset', fileName: 'portal-strings.json', source: JSON.stringify(strings, null, 2) })
      },
    },
  ],
  build: {
    outDir: folder('../../dist/ui'),
    emptyOutDir: true,
    target: 'es2022',
    // Inlined assets would be data: addresses, which the content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Two applications, the operators' dashboard and the customers' portal, and the page of the API. Shared code has its own file.
    rolldownOptions: { input: [folder('index.html'), folder('portal.html'), folder('reference.html')] },
  },
})
