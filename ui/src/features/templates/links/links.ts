import type { CleanupLink, FacetKind, ProcessSum, TemplateSum, TemplatesView } from '@/ipc/bindings';

/** A process of a template, with its details. */
export type LinkRow = {
  /** Index among all links. A template may contain a process twice. */
  at: number;
  key: string;
  template: TemplateSum;
  process: ProcessSum;
  /** The predicted labor time in seconds, null if there is none. */
  labor: number | null;
  /** The predicted machine time in seconds, null if there is none. */
  machine: number | null;
  quality: boolean;
  facets: number;
};

/** Converts a view's links to rows. */
export function linkRows({ links, templates, processes }: TemplatesView): LinkRow[] {
  return links.template.flatMap((place, at) => {
    const template = templates[place];
    const process = processes[links.process[at] ?? -1];
    if (!template || !process) return [];
    const { labor, machine, quality, facets } = links;
    return {
      at,
      key: tickKey(template.id, process.code),
      template,
      process,
      labor: labor[at] ?? null,
      machine: machine[at] ?? null,
      quality: quality[at] ?? false,
      facets: facets[at] ?? 0,
    };
  });
}

/** Returns the bit that marks a facet's links. Returns 0 if the view doesn't have the facet. */
export function facetBit(view: TemplatesView, kind: FacetKind): number {
  const place = view.facets.findIndex((facet) => facet.kind === kind);
  return place < 0 ? 0 : 2 ** place;
}

export function filterByFacet(rows: readonly LinkRow[], bit: number): LinkRow[] {
  return rows.filter((row) => (row.facets & bit) !== 0);
}

/** Returns the links whose template ID, process code or description contains the text, ignoring case. */
export function filterByText(rows: readonly LinkRow[], text: string): LinkRow[] {
  const searched = text.trim().toLowerCase();
  if (searched === '') return [...rows];
  return rows.filter(({ template, process }) =>
    [String(template.id), process.code, process.description].some((value) => value.toLowerCase().includes(searched)),
  );
}

export function tickKey(template: number, process: string): string {
  return `${template}\n${process}`;
}

/** Adds links to the list with the given operation code. Links that are already listed are skipped. */
export function withLinks(list: readonly CleanupLink[], rows: readonly LinkRow[], operationCode: string): CleanupLink[] {
  const keys = new Set(list.map(linkKey));
  const added: CleanupLink[] = [];
  for (const { template, process, labor, machine } of rows) {
    const link: CleanupLink = {
      templateId: template.id,
      processCode: process.code,
      operationCode,
      description: process.description,
      laborSeconds: labor,
      machineSeconds: machine,
    };
    if (keys.has(linkKey(link))) continue;
    keys.add(linkKey(link));
    added.push(link);
  }
  return [...list, ...added];
}

export function linkKey(link: CleanupLink): string {
  return JSON.stringify([link.templateId, link.processCode, link.operationCode]);
}

/** Returns the ticks after ticking or unticking these rows. */
export function changeTicks(ticks: ReadonlySet<string>, rows: readonly LinkRow[], ticked: boolean): Set<string> {
  const next = new Set(ticks);
  for (const { key } of rows) {
    if (ticked) next.add(key);
    else next.delete(key);
  }
  return next;
}

/** A row of the matrix: a template with its links by process. */
export type MatrixRow = { template: TemplateSum; linksByProcess: ReadonlyMap<string, LinkRow[]> };

/** Returns the matrix for these links. Its rows and columns are in the view's order. */
export function buildMatrix(view: TemplatesView, rows: readonly LinkRow[]): { lines: MatrixRow[]; columns: ProcessSum[] } {
  const byTemplate = new Map<number, Map<string, LinkRow[]>>();
  const codes = new Set<string>();
  for (const row of rows) {
    const line = byTemplate.get(row.template.id) ?? new Map<string, LinkRow[]>();
    line.set(row.process.code, [...(line.get(row.process.code) ?? []), row]);
    byTemplate.set(row.template.id, line);
    codes.add(row.process.code);
  }
  const isComplete = rows.length === view.links.template.length;
  const lines = view.templates
    .filter(({ id }) => isComplete || byTemplate.has(id))
    .map((template) => ({ template, linksByProcess: byTemplate.get(template.id) ?? NO_LINKS }));
  return { lines, columns: view.processes.filter(({ code }) => codes.has(code)) };
}

const NO_LINKS: ReadonlyMap<string, LinkRow[]> = new Map<string, LinkRow[]>();
