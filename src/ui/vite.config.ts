import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { strings } from './portal/strings.ts'

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

// Every address in the page is relative: the server says in `<base href>` where the dashboard lives.
export default defineConfig({
  root: folder('.'),
  base: './',
  logLevel: 'warn',
  plugins: [
    {
      // The words of the portal as a file: the server compares translations with it, and translators begin with it.
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
    // Two applications, the operators' dashboard and the customers' portal, and the page of the API. What they share is a file of its own.
    rolldownOptions: { input: [folder('index.html'), folder('portal.html'), folder('reference.html')] },
  },
})
