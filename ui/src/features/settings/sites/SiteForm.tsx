import {
  Button, Checkbox, Group, NativeSelect, NumberInput, PasswordInput, SegmentedControl, TextInput, Textarea
} from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { isUnencrypted } from '@/base/addresses';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { showWarningNotice } from '@/components/notices/warningNotice';
import { type Site, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { useSignIn } from '@/features/sign-in';
import { NetworkFields } from './NetworkFields';
import { type StoredSecrets, type EnteredSecrets, type RequiredMember, cleanSite, toSiteSecrets, deletedSecretKeys, missingMembers, needsSecretAgain, NO_SECRETS } from './siteDraft';
import styles from '../common/settings.module.css';

type Props = { savedSite: Site; isNew: boolean; stored: StoredSecrets; close: () => void };
type TextMember = 'name' | 'baseUrl' | 'authUrl' | 'clientId' | 'scope' | 'timeZone';

/** Edits a site's settings. Secrets can be set, but stored ones aren't shown. */
export function SiteForm({ savedSite, isNew, stored, close }: Props) {
  const { t } = useTranslation();
  const [site, setSite] = useState(savedSite);
  const [secrets, setSecrets] = useState(NO_SECRETS);
  const needsSecret = stored.client && needsSecretAgain(savedSite, site);
  const change = (some: Partial<Site>) => setSite((now) => ({ ...now, ...some }));
  const changeSecrets = (some: Partial<EnteredSecrets>) => setSecrets((now) => ({ ...now, ...some }));
  const { dismissFailure } = useSignIn();
  const save = useMutation({
    mutationFn: () => commands.siteSave(cleanSite(site), toSiteSecrets(secrets)),
    onSuccess: (saved) => {
      dismissFailure();
      for (const word of deletedSecretKeys(saved)) showWarningNotice(t(`siteForm.${word}`, { site: site.name.trim() }));
      close();
    },
  });
  const form = useRef<HTMLFormElement>(null);
  // The form replaces the step or appears below the button that had the focus. The name of a saved site can't be changed.
  useEffect(() => focusField(form.current, isNew ? 'name' : 'baseUrl'), [isNew]);
  const [showsMissing, setShowsMissing] = useState(false);
  const missing = missingMembers(site);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    setShowsMissing(true);
    const [first] = missing;
    if (first === undefined) save.mutate();
    else focusField(form.current, first);
  };
  const missingError = (member: RequiredMember) => showsMissing && missing.includes(member) && t('siteForm.missing');
  const text = (member: TextMember, hint?: string) => (
    <TextInput
      name={member}
      label={t(`siteForm.${member}`)}
      description={hint}
      error={missingError(member)}
      value={site[member]}
      onChange={(event) => change({ [member]: event.currentTarget.value })}
      disabled={member === 'name' && !isNew}
      required
      autoComplete="off"
      spellCheck={false}
      data-testid={`site-${member}`}
    />
  );
  return (
    <form ref={form} className={styles.form} onSubmit={submit} noValidate aria-label={isNew ? t('settings.addSite') : t('settings.edit')} data-testid="site-form">
      <div className={styles.fields}>
        {text('name')}
        <div>
          <span className={styles.label} id="site-kind">
            {t('siteForm.kind')}
          </span>
          <SegmentedControl
            aria-labelledby="site-kind"
            data={[
              { value: 'test', label: t('site.test') },
              { value: 'production', label: t('site.production') },
            ]}
            value={site.kind === 'production' ? 'production' : 'test'}
            onChange={(kind) => change({ kind })}
            fullWidth
            data-testid="site-kind"
          />
        </div>
        {text('baseUrl')}
        {text('authUrl')}
        {[site.baseUrl, site.authUrl].some(isUnencrypted) && (
          <Checkbox
            label={t('siteForm.allowHttp')}
            checked={site.allowHttp ?? false}
            onChange={(event) => change({ allowHttp: event.currentTarget.checked })}
            data-testid="site-allowHttp"
          />
        )}
        {text('clientId')}
        <PasswordInput
          label={t('siteForm.secret')}
          placeholder={stored.client && !needsSecret ? t('siteForm.secretKept') : undefined}
          description={t(needsSecret ? 'siteForm.secretAgain' : 'siteForm.secretHint')}
          value={secrets.client}
          onChange={(event) => changeSecrets({ client: event.currentTarget.value })}
          visibilityToggleButtonProps={{ 'aria-label': t('siteForm.showSecret') }}
          autoComplete="off"
          data-testid="site-secret"
        />
        {text('scope')}
        {text('timeZone', t('siteForm.timeZoneHint'))}
        <Textarea
          name="redirectUris"
          label={t('siteForm.redirectUris')}
          error={missingError('redirectUris')}
          description={t('siteForm.redirectHint')}
          value={site.redirectUris.join('\n')}
          onChange={(event) => change({ redirectUris: event.currentTarget.value.split('\n') })}
          autosize
          minRows={2}
          required
          spellCheck={false}
          data-testid="site-redirectUris"
        />
        <AdvancedFields site={site} change={change}>
          <NetworkFields savedSite={savedSite} site={site} change={change} secrets={secrets} changeSecrets={changeSecrets} stored={stored} />
        </AdvancedFields>
      </div>
      {save.error && <ProblemNote problem={toProblem(save.error)} />}
      <Group>
        <Button type="submit" disabled={save.isPending} data-testid="site-save">
          {t('common.save')}
        </Button>
        <Button variant="default" onClick={close}>
          {t('common.cancel')}
        </Button>
        {!isNew && <SaveSiteFileButton site={savedSite.name} />}
      </Group>
    </form>
  );
}

function focusField(form: HTMLFormElement | null, member: RequiredMember): void {
  const field = form?.elements.namedItem(member);
  if (field instanceof HTMLElement) field.focus();
}

/** Exports the saved settings of a site to a file for a colleague. */
function SaveSiteFileButton({ site }: { site: string }) {
  const { t } = useTranslation();
  const save = useMutation({ mutationFn: () => commands.siteFileSave(site, t('siteFile.saveTitle', { site })) });
  return (
    <>
      <Button variant="subtle" onClick={() => save.mutate()} disabled={save.isPending} data-testid="site-file-save">
        {t('siteFile.save')}
      </Button>
      {save.data && <span role="status">{t('siteFile.saved')}</span>}
      {save.error && <ProblemNote problem={toProblem(save.error)} />}
    </>
  );
}

/** Sign-in addresses, which are needed if the sign-in service doesn't publish them. */
function SignInAddresses({ site, change }: { site: Site; change: (some: Partial<Site>) => void }) {
  const { t } = useTranslation();
  const signIn = site.signIn ?? {};
  const address = (member: 'authorizeAddress' | 'tokenAddress' | 'revocationAddress') => (
    <TextInput
      label={t(`siteForm.${member}`)}
      description={t('siteForm.foundOut')}
      value={signIn[member] ?? ''}
      onChange={(event) => change({ signIn: { ...signIn, [member]: event.currentTarget.value } })}
      autoComplete="off"
      spellCheck={false}
      data-testid={`site-${member}`}
    />
  );
  return (
    <>
      <NativeSelect
        label={t('siteForm.clientAuthentication')}
        data={[
          { value: '', label: t('siteForm.authentications.found') },
          { value: 'post', label: t('siteForm.authentications.post') },
          { value: 'basic', label: t('siteForm.authentications.basic') },
        ]}
        value={signIn.clientAuthentication ?? ''}
        onChange={({ currentTarget: { value } }) =>
          change({ signIn: { ...signIn, clientAuthentication: value === 'post' || value === 'basic' ? value : null } })
        }
        data-testid="site-clientAuthentication"
      />
      {address('authorizeAddress')}
      {address('tokenAddress')}
      {address('revocationAddress')}
    </>
  );
}

/** Settings that few sites need. */
function AdvancedFields({ site, change, children }: { site: Site; change: (some: Partial<Site>) => void; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <details className={styles.further}>
      <summary>{t('siteForm.further')}</summary>
      <div className={styles.furtherFields}>
        <NumberInput
          label={t('siteForm.batchSize')}
          value={site.batchSize ?? ''}
          onChange={(value) => change({ batchSize: typeof value === 'number' ? value : null })}
          min={1}
          max={10_000}
          allowDecimal={false}
          data-testid="site-batchSize"
        />
        {children}
        <SignInAddresses site={site} change={change} />
        <TextInput
          label={t('siteForm.reservedPrefix')}
          description={t('siteForm.reservedHint')}
          value={site.reservedPrefix ?? ''}
          onChange={(event) => change({ reservedPrefix: event.currentTarget.value })}
          data-testid="site-reservedPrefix"
        />
      </div>
    </details>
  );
}
