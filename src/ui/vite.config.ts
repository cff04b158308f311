import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

// Every address in the page is relative: the server says in `<base href>` where the dashboard lives.
export default defineConfig({
  root: folder('.'),
  base: './',
  logLevel: 'warn',
  build: {
    outDir: folder('../../dist/ui'),
    emptyOutDir: true,
    target: 'es2022',
    // Inlined assets would be data: addresses, which the content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
