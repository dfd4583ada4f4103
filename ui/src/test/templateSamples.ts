import type { TemplatesView } from '@/ipc/bindings';

const template = { laborSeconds: 0, machineSeconds: 0, orders: null, running: null };

/** Returns three templates: one with a process twice, one empty. */
export function templatesView(): TemplatesView {
  return {
    progress: { requested: 5, settled: 5, existing: 3 },
    absent: { count: 2, text: '4, 5' },
    left: { count: 0, text: '' },
    unread: [],
    templates: [
      { ...template, id: 1, processes: 3, laborSeconds: 60 },
      { ...template, id: 2, processes: 0 },
      { ...template, id: 3, processes: 1, laborSeconds: 90 },
    ],
    processes: [
      { code: 'A', description: 'cut', templates: 1, listed: true },
      { code: 'B', description: 'drill', templates: 2, listed: false },
    ],
    links: {
      template: [0, 0, 0, 2],
      process: [0, 1, 1, 1],
      labor: [60, null, null, 90],
      machine: [null, null, 30, 0],
      quality: [false, true, true, false],
      facets: [0, 1 + 2, 2, 0],
    },
    facets: [
      { kind: 'noTime', about: 'links', count: 1, links: 1, names: [] },
      { kind: 'twice', about: 'links', count: 2, links: 2, names: [] },
      { kind: 'empty', about: 'templates', count: 1, links: 0, names: ['2'] },
    ],
    listProblem: null,
    ordersAt: null,
  };
}
