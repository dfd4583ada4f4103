import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useOperations, useSite } from '@/base/appState';
import { type BrowsePlace, useNavigation } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { useWindowView } from '@/base/window/windowView';
import { PageFrame } from '@/components/page/PageFrame';
import { SignInPanel } from '@/features/sign-in';
import { commands } from '@/ipc/bindings';
import { ListView } from './ListView';
import { OperationList } from './OperationList';
import styles from './browse.module.css';

/** Shows every read operation of the contract as a table. */
export function BrowsePage({ place }: { place: BrowsePlace }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const site = useSite();
  const reads = useOperations().filter((one) => one.kind === 'read');
  const last = useLastList(site?.site.name, place.operation);
  const operation = reads.find((one) => one.id === (place.operation ?? last));
  const visit = useVisit(place);
  const isAlone = useWindowView() !== null;
  // A secondary window starts with the list's stored view, including its column filters.
  const isSent = (place.parameters ?? place.find) !== undefined && (!isAlone || visit > 0);
  const choose = (id: string) => go({ page: 'browse', operation: id });
  return (
    <div className={styles.frame}>
      {!isAlone && <OperationList operations={reads} chosen={operation?.id} choose={choose} />}
      <div className={styles.side}>
        {operation && site?.signedIn ? (
          <ListView
            key={`${site.site.name}·${operation.id}·${visit}`}
            operation={operation}
            given={place.parameters}
            find={place.find}
            fresh={isSent}
          />
        ) : (
          <PageFrame title={t('browse.title')}>
            {site && !site.signedIn ? <SignInPanel why={t('browse.signInFirst')} /> : (
              <div className={styles.first}>
                <p>{t(isAlone ? 'window.noList' : 'browse.about')}</p>
                {!isAlone && <p className="muted">{t('browse.choose')}</p>}
              </div>
            )}
          </PageFrame>
        )}
      </div>
    </div>
  );
}

/** Returns the last list viewed at this site, and stores the current one. */
function useLastList(site: string | undefined, now: string | undefined): string | null | undefined {
  const client = useQueryClient();
  const isAlone = useWindowView() !== null;
  const { data } = useQuery({
    queryKey: queryKeys.lastList(site),
    queryFn: () => commands.browseLastList(),
    enabled: site !== undefined,
    staleTime: Infinity,
    retry: false,
  });
  useEffect(() => {
    if (!site || !now || isAlone) return;
    client.setQueryData(queryKeys.lastList(site), now);
    commands.browseLastListSave(now).catch(() => undefined);
  }, [client, site, now, isAlone]);
  return data;
}

/** Counts navigations with filters. Each of them resets the list to its filters. */
function useVisit(place: BrowsePlace): number {
  const [visited, setSeen] = useState({ place, visit: 0 });
  const visit = visited.place !== place && (place.parameters ?? place.find) !== undefined ? visited.visit + 1 : visited.visit;
  if (visited.place !== place) setSeen({ place, visit });
  return visit;
}
