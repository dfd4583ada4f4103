import { Button, Group, PasswordInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemNote } from '@/components/notices/ProblemNote';
import { type Site, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { type StoredSecrets, type TypedSecrets, toSiteSecrets, NO_SECRETS } from './siteDraft';
import styles from '../common/settings.module.css';

type Props = { site: Site; stored: StoredSecrets; close: () => void };

/** The secrets of a site that is managed by IT. */
export function SiteSecretsForm({ site, stored, close }: Props) {
  const { t } = useTranslation();
  const [secrets, setSecrets] = useState(NO_SECRETS);
  const save = useMutation({ mutationFn: () => commands.siteSave(site, toSiteSecrets(secrets)), onSuccess: close });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const secret = (kind: keyof TypedSecrets, label: string) => (
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
