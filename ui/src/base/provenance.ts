import type { TFunction } from 'i18next';

import type { Provenance } from '@/ipc/bindings';

/** The provenance of a field or parameter. `assumed` has the keywords that the specification lacks, with reasons. */
export type ProvenanceStatement = { provenance: Provenance; assumed?: Readonly<Record<string, string>> };

/** Whether the specification lacks the field or parameter, or one of its keywords. */
export function isAssumed({ provenance, assumed }: ProvenanceStatement): boolean {
  return provenance.level === 'assumed' || (provenance.level === 'specified' && Object.keys(assumed ?? {}).length > 0);
}

/** Explains the assumptions about an item, undefined if everything is specified. */
export function assumedHint({ provenance, assumed }: ProvenanceStatement, t: TFunction): string | undefined {
  if (provenance.level === 'site') return t('provenance.site');
  if (provenance.level === 'observed') return t('provenance.observed');
  if (provenance.level === 'assumed') {
    return provenance.source ? t('provenance.assumedBecause', { source: provenance.source }) : t('provenance.assumed');
  }
  const keywordsBySource = new Map<string, string[]>();
  for (const [keyword, source] of Object.entries(assumed ?? {})) {
    keywordsBySource.set(source, [...(keywordsBySource.get(source) ?? []), keyword.replace(/^schema\./u, '')]);
  }
  if (keywordsBySource.size === 0) return undefined;
  const parts = [...keywordsBySource].map(([source, keywords]) => t('provenance.assumedPart', { keywords: keywords.join(', '), source }));
  return t('provenance.assumedOnly', { parts: parts.join(' · ') });
}
