import { Select, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useOperations, useSite } from '@/base/appState';
import { type BrowsePlace, useNavigation } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { useWindowView } from '@/base/window/windowView';
import { EmptyState } from '@/components/page/EmptyState';
import { PageFrame } from '@/components/page/PageFrame';
import { SignInPanel } from '@/features/sign-in';
import { type Operation, commands } from '@/ipc/bindings';
import { ListView } from './ListView';
import styles from './browse.module.css';

type OperationListProps = { operations: Operation[]; chosen: string | undefined; choose: (id: string) => void };

/** The read operations by area, in the contract's order. */
function OperationList({ operations, chosen, choose }: OperationListProps) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const isNarrow = useMediaQuery('(max-width: 900px)');
  const areas = [...new Set(operations.map((one) => one.area))];
  const title = (area: string) => {
    const first = operations.find((one) => one.area === area);
    return first ? name({ names: first.areaNames }) : area;
  };
  // An area gets no heading if its only list has the same name.
  const hasSameName = (area: string) => operations.filter((one) => one.area === area).every((one) => name(one) === title(area));
  if (isNarrow) {
    return (
      <nav className={styles.narrow} aria-label={t('browse.operations')}>
        <Select
          aria-label={t('browse.operations')}
          placeholder={t('browse.choose')}
          data-testid="browse-lists"
          data={areas.map((area) => ({
            group: title(area),
            items: operations.filter((one) => one.area === area).map((one) => ({ value: one.id, label: name(one) })),
          }))}
          value={chosen ?? null}
          onChange={(id) => id && choose(id)}
        />
      </nav>
    );
  }
  return (
    <nav className={styles.list} aria-label={t('browse.operations')}>
      {areas.map((area, place) => (
        <div key={area} role="group" className={styles.area} aria-labelledby={`area-${place}`}>
          <h2 id={`area-${place}`} className={styles.areaTitle} hidden={hasSameName(area)}>
            {title(area)}
          </h2>
          <ul>
            {operations
              .filter((one) => one.area === area)
              .map((one) => (
                <li key={one.id}>
                  <UnstyledButton
                    className={styles.operation}
                    aria-current={one.id === chosen ? 'true' : undefined}
                    onClick={() => choose(one.id)}
                    data-testid={`browse-${one.id}`}
                  >
                    {name(one)}
                  </UnstyledButton>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** Lists the contract's read operations and shows the rows of the selected one. */
export function BrowsePage({ place }: { place: BrowsePlace }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const site = useSite();
  const reads = useOperations().filter((one) => one.kind === 'read');
  const last = useLastList(site?.site.name, place.operation);
  const operation = reads.find((one) => one.id === (place.operation ?? last));
  const visit = useVisitCount(place);
  const isSecondaryWindow = useWindowView() !== null;
  // A secondary window starts with the list's stored view, including its column filters.
  const hasOwnFilters = (place.parameters ?? place.find) !== undefined && (!isSecondaryWindow || visit > 0);
  const choose = (id: string) => go({ page: 'browse', operation: id });
  return (
    <div className={styles.frame}>
      {!isSecondaryWindow && <OperationList operations={reads} chosen={operation?.id} choose={choose} />}
      <div className={styles.side}>
        {operation && site?.signedIn ? (
          <ListView
            key={`${site.site.name}·${operation.id}·${visit}`}
            operation={operation}
            initialParameters={place.parameters}
            initialFind={place.find}
            isFromLink={hasOwnFilters}
          />
        ) : (
          <PageFrame title={t('browse.title')}>
            {site && !site.signedIn ? <SignInPanel why={t('browse.signInFirst')} /> : (
              <EmptyState picture="list" text={t(isSecondaryWindow ? 'window.noList' : 'browse.choose')} />
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
  const isSecondaryWindow = useWindowView() !== null;
  const { data } = useQuery({
    queryKey: queryKeys.lastList(site),
    queryFn: () => commands.browseLastList(),
    enabled: site !== undefined,
    staleTime: Infinity,
    retry: false,
  });
  useEffect(() => {
    if (!site || !now || isSecondaryWindow) return;
    client.setQueryData(queryKeys.lastList(site), now);
    commands.browseLastListSave(now).catch(() => undefined);
  }, [client, site, now, isSecondaryWindow]);
  return data;
}

/** Counts navigations with filters. Each of them resets the list to its filters. */
function useVisitCount(place: BrowsePlace): number {
  const [visited, setVisited] = useState({ place, visit: 0 });
  const visit = visited.place !== place && (place.parameters ?? place.find) !== undefined ? visited.visit + 1 : visited.visit;
  if (visited.place !== place) setVisited({ place, visit });
  return visit;
}
