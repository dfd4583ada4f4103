import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, lazy } from 'react';
import { useTranslation } from 'react-i18next';

import { useSite } from '@/base/appState';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { PageFrame } from '@/components/page/PageFrame';
import { SignInPanel } from '@/features/sign-in';
import type { SiteView } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { keptQuery } from './common/savedQueries';
import styles from './common/graphql.module.css';

// The editor is the largest library of the window: it comes when somebody asks for it.
const GraphqlEditor = lazy(async () => ({ default: (await import('./GraphqlEditor')).GraphqlEditor }));

/** Asking the site by GraphQL. */
export function GraphqlPage() {
  const site = useSite();
  return site ? <OfSite key={site.site.name} site={site} /> : null;
}

function OfSite({ site }: { site: SiteView }) {
  const { t } = useTranslation();
  const { data: kept, error } = useQuery(keptQuery(site.site.name));
  if (site.signedIn && kept) {
    return (
      <Suspense fallback={<Waiting />}>
        <GraphqlEditor site={site.site.name} state={kept.editor} />
      </Suspense>
    );
  }
  return (
    <PageFrame title={t('pages.graphql')} edge>
      <div className={styles.empty}>
        {error && <ProblemNote problem={toProblem(error)} />}
        {!site.signedIn && <SignInPanel why={t('graphql.signInFirst')} />}
      </div>
    </PageFrame>
  );
}

function Waiting() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t('pages.graphql')} edge>
      <div className={styles.waiting} aria-busy="true" aria-label={t('grid.loading')} role="status">
        <Skeleton height="100%" />
        <Skeleton height="100%" />
      </div>
    </PageFrame>
  );
}
