import { Button, Group } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useAppState } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type ChosenSiteFile, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { SiteFileImport } from './SiteFileImport';
import { SiteForm } from './SiteForm';
import { SiteRow } from './SiteRow';
import { emptySite, keptSecrets, nothingKept, scopesOf } from './siteDraft';
import styles from './settings.module.css';

/** The services that Takt can talk to. The practice plant is always there. */
export function Sites() {
  const { t } = useTranslation();
  const { data } = useAppState();
  const [editing, setEditing] = useState<string | null>(null);
  const [adding, setAdding] = useState(false);
  const contract = useQuery({ queryKey: queryKeys.contract, queryFn: () => commands.contractDocument(), staleTime: Infinity });
  const [chosen, setChosen] = useState<ChosenSiteFile | null>(null);
  const pick = useMutation({ mutationFn: () => commands.siteFilePick(t('siteFile.pickTitle')), onSuccess: setChosen });
  if (!data) return null;
  const edited = data.sites.find((one) => one.site.name === editing);
  return (
    <section className={styles.section} aria-labelledby="sites">
      <div className={styles.line}>
        <h2 id="sites">{t('settings.sites')}</h2>
        <Group gap={8}>
          <Button size="xs" variant="default" onClick={() => pick.mutate()} disabled={pick.isPending} data-testid="site-file-pick">
            {t('siteFile.pick')}
          </Button>
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              setEditing(null);
              setAdding(true);
            }}
            data-testid="site-add"
          >
            {t('settings.addSite')}
          </Button>
        </Group>
      </div>
      {pick.error && <ProblemNote problem={toProblem(pick.error)} />}
      {chosen && <SiteFileImport key={chosen.path} chosen={chosen} close={() => setChosen(null)} />}
      <ul className={styles.sites}>
        {data.sites.map((view) => (
          <SiteRow
            key={view.site.name}
            view={view}
            edit={() => {
              setAdding(false);
              setEditing(view.site.name);
            }}
          />
        ))}
      </ul>
      {adding && <SiteForm key="new" first={{ ...emptySite, scope: scopesOf(contract.data) }} isNew kept={nothingKept} close={() => setAdding(false)} />}
      {edited && (
        <SiteForm
          key={edited.site.name}
          first={edited.site}
          isNew={false}
          kept={keptSecrets(edited)}
          close={() => setEditing(null)}
        />
      )}
    </section>
  );
}
