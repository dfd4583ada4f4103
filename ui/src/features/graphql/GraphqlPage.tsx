import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, lazy } from 'react';
import { useTranslation } from 'react-i18next';

import { useSite } from '@/base/appState';
import type { TabProps } from '@/base/navigation';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { PageFrame } from '@/components/page/PageFrame';
import { SignInPanel } from '@/features/sign-in';
import type { SiteView } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { storedQueriesQuery } from './common/savedQueries';
import styles from './common/graphql.module.css';

// The editor is the window's largest library, so it is loaded on demand.
const GraphqlEditor = lazy(async () => ({ default: (await import('./GraphqlEditor')).GraphqlEditor }));

/** Queries the selected site with GraphQL. */
export function GraphqlPage(frame: TabProps) {
  const site = useSite();
  return site ? <SitePage key={site.site.name} site={site} frame={frame} /> : null;
}

function SitePage({ site, frame }: { site: SiteView; frame: TabProps }) {
  const { t } = useTranslation();
  const { data: stored, error } = useQuery(storedQueriesQuery(site.site.name));
  if (site.signedIn && stored) {
    return (
      <Suspense fallback={<WaitingPage frame={frame} />}>
        <GraphqlEditor site={site.site.name} state={stored.editor} frame={frame} />
      </Suspense>
    );
  }
  return (
    <PageFrame title={frame.title} action={frame.actions} isFullWidth>
      <div className={styles.empty}>
        {error && <ProblemNote problem={toProblem(error)} />}
        {!site.signedIn && <SignInPanel why={t('graphql.signInFirst')} />}
      </div>
    </PageFrame>
  );
}

function WaitingPage({ frame }: { frame: TabProps }) {
  const { t } = useTranslation();
  return (
    <PageFrame title={frame.title} action={frame.actions} isFullWidth>
      <div className={styles.waiting} aria-busy="true" aria-label={t('grid.loading')} role="status">
        <Skeleton height="100%" />
        <Skeleton height="100%" />
      </div>
    </PageFrame>
  );
}
