import { Button, Group, PasswordInput, Switch, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useAppState } from '@/base/appState';
import { useNavigation } from '@/base/navigation';
import { usePreferences } from '@/base/preferences';
import { queryKeys } from '@/base/queryKeys';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type ChosenSiteFile, type OwnFile, type Site, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { useSignIn } from '@/features/sign-in';

import { SiteForm } from './SiteForm';
import { SiteRow } from './SiteRow';
import {
  EMPTY_SITE,
  NOTHING_STORED,
  NO_SECRETS,
  type StoredSecrets,
  type EnteredSecrets,
  scopesOf,
  siteAt,
  storedSecrets,
  toSiteSecrets,
} from './siteDraft';
import styles from '../common/settings.module.css';

type NewSiteFormProps = { empty: Site; pickFile: () => void; close: () => void };

/** Creates a site from an address or from a colleague's file. */
function NewSiteForm({ empty, pickFile, close }: NewSiteFormProps) {
  const { t } = useTranslation();
  const [address, setAddress] = useState('');
  const [site, setSite] = useState<Site | null>(null);
  const [hasSubmitted, setHasSubmitted] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const newSite = siteAt(address, empty);
  if (site) return <SiteForm savedSite={site} isNew stored={NOTHING_STORED} close={close} />;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    setSite(newSite);
    setHasSubmitted(true);
    if (newSite === null) input.current?.focus();
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate aria-label={t('settings.addSite')} data-testid="site-new">
      <TextInput
        ref={input}
        label={t('siteForm.baseUrl')}
        description={t('siteForm.baseUrlHint')}
        placeholder={t('siteForm.baseUrlExample')}
        error={hasSubmitted && newSite === null && t('siteForm.noAddress')}
        value={address}
        onChange={(event) => setAddress(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
        data-testid="site-address"
      />
      <Group>
        <Button type="submit" data-testid="site-next">
          {t('siteForm.next')}
        </Button>
        <Button variant="default" onClick={pickFile} data-testid="site-new-file">
          {t('siteFile.pick')}
        </Button>
        <Button variant="subtle" onClick={close}>
          {t('common.cancel')}
        </Button>
      </Group>
    </form>
  );
}

type SiteSecretsFormProps = { site: Site; stored: StoredSecrets; close: () => void };

/** Edits the secrets of a site whose other settings are managed by IT. */
function SiteSecretsForm({ site, stored, close }: SiteSecretsFormProps) {
  const { t } = useTranslation();
  const [secrets, setSecrets] = useState(NO_SECRETS);
  const { dismissFailure } = useSignIn();
  const save = useMutation({
    mutationFn: () => commands.siteSave(site, toSiteSecrets(secrets)),
    onSuccess: () => {
      dismissFailure();
      close();
    },
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const secret = (kind: keyof EnteredSecrets, label: string) => (
    <PasswordInput
      label={label}
      placeholder={stored[kind] ? t('siteForm.secretKept') : undefined}
      value={secrets[kind]}
      onChange={(event) => setSecrets({ ...secrets, [kind]: event.currentTarget.value })}
      visibilityToggleButtonProps={{ 'aria-label': t('siteForm.showSecret') }}
      autoComplete="off"
      data-testid={`secret-${kind}`}
    />
  );
  return (
    <form className={styles.form} onSubmit={submit} aria-label={t('settings.secretsOf', { site: site.name })} data-testid="site-secrets-form">
      <p>{t('settings.managedSecrets')}</p>
      {secret('client', t('siteForm.secret'))}
      {site.proxy && secret('proxyPassword', t('siteForm.proxyPassword'))}
      {site.network?.clientCertificate && secret('certificatePassphrase', t('siteForm.certificatePassphrase'))}
      {save.error && <ProblemNote problem={toProblem(save.error)} />}
      <Group>
        <Button type="submit" disabled={save.isPending || Object.values(secrets).every((text) => text === '')} data-testid="site-secrets-save">
          {t('common.save')}
        </Button>
        <Button variant="default" onClick={close}>
          {t('common.cancel')}
        </Button>
      </Group>
    </form>
  );
}

const OWN_FILE_LABELS: Record<OwnFile, 'siteForm.caFile' | 'siteForm.clientCertificate' | 'siteForm.clientKey'> = {
  'certificate-authorities': 'siteForm.caFile',
  'client-certificate': 'siteForm.clientCertificate',
  'client-key': 'siteForm.clientKey',
};

/** Previews a colleague's site file. Nothing changes until you confirm. */
function SiteFileImport({ chosen, close }: { chosen: ChosenSiteFile; close: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { name, baseUrl, authUrl, replaces, operations, mappings, knownMappings, rules, targets, ownFiles } = chosen.preview;
  const importSite = useMutation({
    mutationFn: () => commands.siteFileImport(chosen.path),
    onSuccess: () => {
      close();
      void client.invalidateQueries();
    },
  });
  return (
    <section className={styles.form} aria-labelledby="site-file" data-testid="site-file">
      <h3 id="site-file">{t('siteFile.title', { name })}</h3>
      <p>{t(replaces ? 'siteFile.replaces' : 'siteFile.new', { name })}</p>
      <dl className={styles.facts}>
        <dt>{t('siteForm.baseUrl')}</dt>
        <dd>
          <code>{baseUrl}</code>
        </dd>
        <dt>{t('siteForm.authUrl')}</dt>
        <dd>
          <code>{authUrl}</code>
        </dd>
      </dl>
      <ul>
        {operations > 0 && <li>{t('siteFile.operations', { count: operations })}</li>}
        {mappings > knownMappings && <li>{t('siteFile.mappings', { count: mappings - knownMappings })}</li>}
        {rules > 0 && <li>{t('siteFile.rules', { count: rules })}</li>}
        {targets > 0 && <li>{t('siteFile.targets', { count: targets })}</li>}
        {ownFiles.map((file) => (
          <li key={file} data-testid={`own-file-${file}`}>
            {t('siteFile.ownFile', { what: t(OWN_FILE_LABELS[file]) })}
          </li>
        ))}
      </ul>
      <p className="muted small">{t('siteFile.noSecrets')}</p>
      {importSite.error && <ProblemNote problem={toProblem(importSite.error)} />}
      <Group>
        <Button onClick={() => importSite.mutate()} loading={importSite.isPending} data-testid="site-file-import">
          {t('siteFile.setUp')}
        </Button>
        <Button variant="default" onClick={close} disabled={importSite.isPending}>
          {t('common.cancel')}
        </Button>
      </Group>
    </section>
  );
}

/** Lists the sites. The practice plant can't be removed. */
export function Sites() {
  const { t } = useTranslation();
  const { data } = useAppState();
  const [editing, setEditing] = useState<string | null>(null);
  const { place } = useNavigation();
  const { preferences, changePreferences } = usePreferences();
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
        onChange={(event) => changePreferences({ practiceSignIn: event.currentTarget.checked })}
        data-testid="practice-sign-in"
      />
      {adding && (
        <NewSiteForm
          key="new"
          empty={{ ...EMPTY_SITE, scope: scopesOf(contract.data) }}
          pickFile={() => {
            setAdding(false);
            pick.mutate();
          }}
          close={() => setAdding(false)}
        />
      )}
      {edited?.managed && (
        <SiteSecretsForm key={edited.site.name} site={edited.site} stored={storedSecrets(edited)} close={() => setEditing(null)} />
      )}
      {edited?.managed === false && (
        <SiteForm
          key={edited.site.name}
          savedSite={edited.site}
          isNew={false}
          stored={storedSecrets(edited)}
          close={() => setEditing(null)}
        />
      )}
    </section>
  );
}
