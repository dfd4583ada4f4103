/// <reference types="vitest/config" />
import { readFileSync } from 'node:fs';
import path from 'node:path';

import react from '@vitejs/plugin-react';
import { type Plugin, defineConfig } from 'vite';

// Pages that the window's own are measured against; only a build with this mode has them.
const yardsticks = ['index.html', 'yardsticks/grid.html', 'yardsticks/gantt.html'];

/** The window starts without a grid: a library of a megabyte that what it starts with imports would be loaded before anything is shown. */
const startWithoutGrid: Plugin = {
  name: 'start-without-grid',
  generateBundle(_, bundle) {
    const found = new Set<string>();
    const follow = (name: string) => {
      const chunk = bundle[name];
      if (found.has(name) || chunk?.type !== 'chunk') return;
      found.add(name);
      if (Object.keys(chunk.modules).some((id) => id.includes('/ag-grid-'))) this.error(`${name} is loaded at the start and holds the grid: load its page lazily`);
      chunk.imports.forEach(follow);
    };
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === 'chunk' && chunk.isEntry && chunk.facadeModuleId?.endsWith('/ui/index.html')) follow(chunk.fileName);
    }
  },
};

/** Of Mantine's styles, half of which nothing here would ever need, just those of the components that are bundled. */
const onlyNeededStyles: Plugin = {
  name: 'only-needed-styles',
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).flatMap((one) => (one.type === 'chunk' ? [one] : []));
    const styles = chunks.flatMap(({ modules }) => Object.keys(modules)).flatMap((id) => /\/@mantine\/core\/.*\/(\w+)\.module\.m?js$/.exec(id)?.[1] ?? []);
    const sheet = path.resolve(import.meta.dirname, 'src/base/style/mantine.css');
    const imported = [...readFileSync(sheet, 'utf8').matchAll(/styles\/([A-Z]\w+)\.css/g)].flatMap(([, name]) => name ?? []);
    const missing = styles.filter((name) => !imported.includes(name));
    const needless = imported.filter((name) => !styles.includes(name));
    if (missing.length + needless.length > 0) this.error(`mantine.css lacks [${missing.join(', ')}] and has [${needless.join(', ')}] that no component needs`);
  },
};

// Everything is bundled: the window loads nothing from the net.
export default defineConfig(({ mode }) => ({
  plugins: [react(), startWithoutGrid, onlyNeededStyles],
  base: './',
  // The same as `paths` in tsconfig.json.
  resolve: { alias: { '@': path.resolve(import.meta.dirname, 'src'), '@docs': path.resolve(import.meta.dirname, '../docs') } },
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    // Fonts stay files of their own; the policy of the window allows them from 'self'.
    assetsInlineLimit: 0,
    // The grid is one library of a megabyte, in a chunk that only the pages with grids load.
    chunkSizeWarningLimit: 1300,
    modulePreload: { polyfill: false },
    rollupOptions: { input: mode === 'yardsticks' ? yardsticks : 'index.html' },
  },
  server: { fs: { allow: ['..'] } },
  test: {
    testTimeout: 20_000,
    css: false,
    // Node loads this one for libraries, and a schema is only known to the graphql that made it.
    alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }],
    // A page is made only where components are drawn; another file that needs one names its environment in its first line.
    // Components share one page. Loading the libraries again for each file would take most of the time.
    projects: [
      { extends: true, test: { name: 'logic', include: ['src/**/*.test.ts'], environment: 'node', sequence: { groupOrder: 0 } } },
      { extends: true, test: { name: 'components', include: ['src/**/*.test.tsx'], environment: 'jsdom', isolate: false, sequence: { groupOrder: 1 }, setupFiles: ['src/test/setup.ts'] } },
    ],
  },
}));
