import { type ReactNode, createContext, use, useCallback, useMemo, useState } from 'react';

import type { Link } from '../../ipc/bindings';

type BySite = Readonly<Record<string, Link[]>>;
type Collection = { bySite: BySite; put: (site: string, links: Link[]) => void };

const CollectionContext = createContext<Collection | null>(null);
const none: Link[] = [];

/** Links collected for deletion. They stay while other pages are open, and never cross from one site to another. */
export function CollectionProvider({ children }: { children: ReactNode }) {
  const [bySite, setBySite] = useState<BySite>({});
  const put = useCallback((site: string, links: Link[]) => setBySite((all) => ({ ...all, [site]: links })), []);
  const collection = useMemo(() => ({ bySite, put }), [bySite, put]);
  return <CollectionContext value={collection}>{children}</CollectionContext>;
}

export function useCollection(site: string): [Link[], (links: Link[]) => void] {
  const collection = use(CollectionContext);
  if (!collection) throw new Error('outside CollectionProvider');
  const { bySite, put } = collection;
  const set = useCallback((links: Link[]) => put(site, links), [put, site]);
  return [bySite[site] ?? none, set];
}
