import { Button, Group } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { SiteLabel } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { PageFrame } from '@/components/page/PageFrame';
import { type ContractPreview, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { CurrentContract } from './CurrentContract';
import { FetchDocument } from './FetchDocument';
import { Operations } from './Operations';
import { Preview } from './Preview';
import { Versions } from './Versions';
import styles from './contract.module.css';

/** A site's own contract: what is in force, what a document would change, and the versions of before. */
export function ContractPage({ site }: { site: string }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const [preview, setPreview] = useState<ContractPreview | null>(null);
  const operations = useQuery({ queryKey: queryKeys.contractOperations(site), queryFn: () => commands.contractOperations(site) });
  const versions = useQuery({ queryKey: queryKeys.contractVersions(site), queryFn: () => commands.contractVersions(site) });
  const load = useMutation({
    mutationFn: () => commands.contractPick(site, t('contract.pickTitle', { site })),
    onSuccess: (found) => found && setPreview(found),
  });
  const fetch = useMutation({
    mutationFn: (address: string | null) => commands.contractFetch(site, address),
    onSuccess: setPreview,
  });
  const problem = load.error ?? operations.error ?? versions.error;
  const action = (
    <Group gap={8}>
      <Button variant="default" onClick={() => go({ page: 'settings' })} data-testid="contract-back">
        {t('contract.back')}
      </Button>
      <Button variant="default" onClick={() => fetch.mutate(null)} loading={fetch.isPending} data-testid="contract-fetch">
        {t('contract.fetch')}
      </Button>
      <Button variant={preview ? 'default' : 'filled'} onClick={() => load.mutate()} disabled={load.isPending} data-testid="contract-load">
        {t('contract.load')}
      </Button>
    </Group>
  );
  return (
    <PageFrame title={t('contract.title')} aside={<SiteLabel name={site} />} action={action}>
      <div className={styles.page}>
        {problem && <ProblemNote problem={toProblem(problem)} />}
        <FetchDocument fetch={fetch} />
        {preview && <Preview key={preview.source} site={site} first={preview} operations={operations.data ?? []} close={() => setPreview(null)} />}
        {!preview && operations.data && versions.data && (
          <>
            <CurrentContract operations={operations.data} versions={versions.data} />
            <Versions site={site} versions={versions.data} operations={operations.data} />
            <Operations operations={operations.data} />
          </>
        )}
      </div>
    </PageFrame>
  );
}
