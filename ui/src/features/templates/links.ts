import type { Link, ProcessRow } from '../../ipc/bindings';

/** The ticked processes with the operation code that a person gave, added to the list; none twice. */
export function withLinks(links: readonly Link[], ticked: readonly ProcessRow[], operationCode: string): Link[] {
  const known = new Set(links.map(linkKey));
  const made = ticked.map((row) => ({ templateId: row.templateId, processCode: row.code, operationCode }));
  return [...links, ...made.filter((link) => !known.has(linkKey(link)))];
}

export function linkKey(link: Link): string {
  return JSON.stringify([link.templateId, link.processCode, link.operationCode]);
}
