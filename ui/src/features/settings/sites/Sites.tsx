import { Button, Group, Switch } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useAppState } from '@/base/appState';
import { useNavigation } from '@/base/navigation';
import { usePreferences } from '@/base/preferences';
import { queryKeys } from '@/base/queryKeys';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type ChosenSiteFile, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { NewSite } from './NewSite';
import { SiteFileImport } from './SiteFileImport';
import { SiteForm } from './SiteForm';
import { SiteRow } from './SiteRow';
import { SiteSecretsForm } from './SiteSecretsForm';
import { emptySite, keptSecrets, scopesOf } from './siteDraft';
import styles from '../common/settings.module.css';

/** The services that Takt can talk to. The practice plant is always there. */
export function Sites() {
  const { t } = useTranslation();
  const { data } = useAppState();
  const [editing, setEditing] = useState<string | null>(null);
  const { place } = useNavigation();
  const { preferences, change } = usePreferences();
  const [isAdding, setAdding] = useState(place.page === 'settings' && place.addSite === true);
  const contract = useQuery({ queryKey: queryKeys.contract, queryFn: () => commands.contractDocument(), staleTime: Infinity });
  const [chosen, setChosen] = useState<ChosenSiteFile | null>(null);
  const pick = useMutation({ mutationFn: () => commands.siteFilePick(t('siteFile.pickTitle')), onSuccess: setChosen });
  if (!data) return null;
  const adding = isAdding && !data.onlyManagedSites;
  const edited = data.sites.find((one) => one.site.name === editing);
  return (
    <section className={styles.section} aria-labelledby="sites">
      <div className={styles.line}>
        <h2 id="sites">{t('settings.sites')}</h2>
        {!data.onlyManagedSites && (
          <Group gap={8}>
            <Button size="xs" variant="default" onClick={() => pick.mutate()} disabled={pick.isPending || adding} data-testid="site-file-pick">
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
        )}
      </div>
      {data.onlyManagedSites && <p className="muted">{t('settings.onlyManaged')}</p>}
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
      <Switch
        size="sm"
        label={t('settings.practiceSignIn')}
        checked={preferences.practiceSignIn === true}
        onChange={(event) => change({ practiceSignIn: event.currentTarget.checked })}
        data-testid="practice-sign-in"
      />
      {adding && (
        <NewSite
          key="new"
          empty={{ ...emptySite, scope: scopesOf(contract.data) }}
          pickFile={() => {
            setAdding(false);
            pick.mutate();
          }}
          close={() => setAdding(false)}
        />
      )}
      {edited?.managed && (
        <SiteSecretsForm key={edited.site.name} site={edited.site} kept={keptSecrets(edited)} close={() => setEditing(null)} />
      )}
      {edited?.managed === false && (
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
