/// <reference types="vitest/config" />
import { readFileSync } from 'node:fs';
import path from 'node:path';

import react from '@vitejs/plugin-react';
import { type Plugin, defineConfig } from 'vite';

// Pages that the benchmarks compare with the window. Only a build in the mode `yardsticks` contains them.
const YARDSTICK_PAGES = ['index.html', 'yardsticks/grid.html', 'yardsticks/gantt.html'];

/** Fails the build if the window loads the grid library at the start. It has one megabyte, which would delay the first page. */
const rejectGridAtStart: Plugin = {
  name: 'start-without-grid',
  generateBundle(_, bundle) {
    const visited = new Set<string>();
    const checkChunk = (name: string) => {
      const chunk = bundle[name];
      if (visited.has(name) || chunk?.type !== 'chunk') return;
      visited.add(name);
      if (Object.keys(chunk.modules).some((id) => id.includes('/ag-grid-'))) this.error(`${name} is loaded at the start and holds the grid: load its page lazily`);
      chunk.imports.forEach(checkChunk);
    };
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === 'chunk' && chunk.isEntry && chunk.facadeModuleId?.endsWith('/ui/index.html')) checkChunk(chunk.fileName);
    }
  },
};

/** Fails the build if `mantine.css` doesn't import exactly the styles of the bundled components. */
const checkMantineStyles: Plugin = {
  name: 'only-needed-styles',
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).flatMap((one) => (one.type === 'chunk' ? [one] : []));
    const styles = chunks.flatMap(({ modules }) => Object.keys(modules)).flatMap((id) => /\/@mantine\/core\/.*\/(\w+)\.module\.m?js$/.exec(id)?.[1] ?? []);
    const sheet = path.resolve(import.meta.dirname, 'src/base/style/mantine.css');
    const imported = [...readFileSync(sheet, 'utf8').matchAll(/styles\/([A-Z]\w+)\.css/g)].flatMap(([, name]) => name ?? []);
    const missing = styles.filter((name) => !imported.includes(name));
    const unused = imported.filter((name) => !styles.includes(name));
    if (missing.length + unused.length > 0) this.error(`mantine.css lacks [${missing.join(', ')}] and has [${unused.join(', ')}] that no component needs`);
  },
};

// All assets are bundled, because the window loads nothing from the network.
export default defineConfig(({ mode }) => ({
  plugins: [react(), rejectGridAtStart, checkMantineStyles],
  base: './',
  // Must match `paths` in tsconfig.json.
  resolve: { alias: { '@': path.resolve(import.meta.dirname, 'src'), '@docs': path.resolve(import.meta.dirname, '../docs') } },
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    // Fonts aren't inlined, because the window's content security policy allows fonts only from 'self'.
    assetsInlineLimit: 0,
    // The grid library has one megabyte. It is a separate chunk, which only pages with grids load.
    chunkSizeWarningLimit: 1300,
    modulePreload: { polyfill: false },
    rollupOptions: { input: mode === 'yardsticks' ? YARDSTICK_PAGES : 'index.html' },
  },
  server: { fs: { allow: ['..'] } },
  test: {
    testTimeout: 20_000,
    css: false,
    // Node loads this file of graphql for libraries. A schema works only with the copy of graphql that created it.
    alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }],
    // Only tests of components run with a DOM. Other test files that need one set the environment in their first line.
    // Tests of components share one DOM, because loading the libraries for each file would take most of the time.
    projects: [
      { extends: true, test: { name: 'logic', include: ['src/**/*.test.ts'], environment: 'node', sequence: { groupOrder: 0 } } },
      { extends: true, test: { name: 'components', include: ['src/**/*.test.tsx'], environment: 'jsdom', isolate: false, sequence: { groupOrder: 1 }, setupFiles: ['src/test/setup.ts'] } },
    ],
  },
}));
