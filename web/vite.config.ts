// How the web app is built: no inline code, so that it runs under a strict Content-Security-Policy. `npm run dev` forwards the API to a running server (ROUSE_URL).
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { offlineApp } from './scripts/offline.ts';

const server_url = process.env['ROUSE_URL'] ?? 'http://127.0.0.1:18888';

// light-dark() and popover set this floor. Naming it also keeps the CSS minifier from "lowering" light-dark().
const browsers = ['chrome123', 'firefox128', 'safari17.5'];

export default defineConfig({
  plugins: [svelte(), offlineApp()],
  build: {
    target: browsers,
    cssTarget: browsers,
    assetsInlineLimit: 0,
    // The page names all scripts of its start, so they load at the same time and not one after the other.
    modulePreload: { polyfill: false },
    // One stylesheet, about 20 KB packed: a page that is loaded later never lacks its style, not even after a failed try.
    cssCodeSplit: false,
    reportCompressedSize: false,
  },
  server: {
    host: '127.0.0.1',
    proxy: {
      '/api': server_url,
      '/health': server_url,
      '/signin': server_url,
      '/ws': { target: server_url, ws: true },
    },
  },
});
