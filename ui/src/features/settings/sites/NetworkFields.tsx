import { NativeSelect, NumberInput, PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { NetworkSettings, Site } from '@/ipc/bindings';
import { type StoredSecrets, type EnteredSecrets, needsProxyPasswordAgain } from './siteDraft';

type Props = {
  /** The site as it was last saved. */
  savedSite: Site;
  site: Site;
  change: (some: Partial<Site>) => void;
  secrets: EnteredSecrets;
  changeSecrets: (some: Partial<EnteredSecrets>) => void;
  stored: StoredSecrets;
};
type ProxyUse = 'system' | 'own' | 'none';

/** A site's network settings: proxy, certificates, timeouts. */
export function NetworkFields({ savedSite, site, change, secrets, changeSecrets, stored }: Props) {
  const { t } = useTranslation();
  const network = site.network ?? {};
  const changeNetwork = (some: Partial<NetworkSettings>) => change({ network: { ...network, ...some } });
  const file = (member: 'clientCertificate' | 'clientKey') => (
    <TextInput
      label={t(`siteForm.${member}`)}
      description={t(`siteForm.${member}Hint`)}
      value={network[member] ?? ''}
      onChange={(event) => changeNetwork({ [member]: event.currentTarget.value })}
      spellCheck={false}
      data-testid={`site-${member}`}
    />
  );
  const seconds = (member: 'connectTimeout' | 'readTimeout') => (
    <NumberInput
      label={t(`siteForm.${member}`)}
      placeholder={member === 'connectTimeout' ? '10' : '60'}
      value={network[member] ?? ''}
      onChange={(value) => changeNetwork({ [member]: typeof value === 'number' ? value : null })}
      min={1}
      max={600}
      allowDecimal={false}
      data-testid={`site-${member}`}
    />
  );
  return (
    <>
      <ProxyFields savedSite={savedSite} site={site} change={change} secrets={secrets} changeSecrets={changeSecrets} stored={stored} />
      <TextInput
        label={t('siteForm.caFile')}
        description={t('siteForm.caFileHint')}
        value={site.caFile ?? ''}
        onChange={(event) => change({ caFile: event.currentTarget.value })}
        data-testid="site-caFile"
      />
      {file('clientCertificate')}
      {network.clientCertificate && file('clientKey')}
      {network.clientCertificate && (
        <PasswordInput
          label={t('siteForm.certificatePassphrase')}
          placeholder={stored.certificatePassphrase ? t('siteForm.secretKept') : undefined}
          value={secrets.certificatePassphrase}
          onChange={(event) => changeSecrets({ certificatePassphrase: event.currentTarget.value })}
          visibilityToggleButtonProps={{ 'aria-label': t('siteForm.showSecret') }}
          autoComplete="off"
          data-testid="site-certificatePassphrase"
        />
      )}
      {seconds('connectTimeout')}
      {seconds('readTimeout')}
    </>
  );
}

/** Address and password of a proxy that only this site uses. */
function ProxyFields({ savedSite, site, change, secrets, changeSecrets, stored }: Props) {
  const { t } = useTranslation();
  const needsPassword = stored.proxyPassword && needsProxyPasswordAgain(savedSite, site);
  const [use, setUse] = useState<ProxyUse>(site.network?.noProxy ? 'none' : site.proxy ? 'own' : 'system');
  const choose = (chosen: ProxyUse) => {
    setUse(chosen);
    change({ proxy: chosen === 'own' ? site.proxy : null, network: { ...site.network, noProxy: chosen === 'none' } });
    if (chosen !== 'own') changeSecrets({ proxyPassword: '' });
  };
  return (
    <>
      <NativeSelect
        label={t('siteForm.proxyUse')}
        data={(['system', 'own', 'none'] as const).map((value) => ({ value, label: t(`siteForm.proxyUses.${value}`) }))}
        value={use}
        onChange={({ currentTarget: { value } }) => choose(value === 'own' || value === 'none' ? value : 'system')}
        data-testid="site-proxyUse"
      />
      {use === 'own' && (
        <>
          <TextInput
            label={t('siteForm.proxy')}
            description={t('siteForm.proxyHint')}
            value={site.proxy ?? ''}
            onChange={(event) => change({ proxy: event.currentTarget.value })}
            autoComplete="off"
            spellCheck={false}
            data-testid="site-proxy"
          />
          <PasswordInput
            label={t('siteForm.proxyPassword')}
            placeholder={stored.proxyPassword && !needsPassword ? t('siteForm.secretKept') : undefined}
            description={t(needsPassword ? 'siteForm.proxyPasswordAgain' : 'siteForm.proxyPasswordHint')}
            value={secrets.proxyPassword}
            onChange={(event) => changeSecrets({ proxyPassword: event.currentTarget.value })}
            visibilityToggleButtonProps={{ 'aria-label': t('siteForm.showSecret') }}
            autoComplete="off"
            data-testid="site-proxyPassword"
          />
        </>
      )}
    </>
  );
}
