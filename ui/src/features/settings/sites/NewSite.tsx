import { Button, Group, TextInput } from '@mantine/core';
import { type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { Site } from '@/ipc/bindings';
import { SiteForm } from './SiteForm';
import { nothingKept, siteAt } from './siteDraft';
import styles from '../common/settings.module.css';

type Props = { empty: Site; pickFile: () => void; close: () => void };

/** A new site begins with its address, or with a file of somebody who has it already. */
export function NewSite({ empty, pickFile, close }: Props) {
  const { t } = useTranslation();
  const [address, setAddress] = useState('');
  const [site, setSite] = useState<Site | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const begun = siteAt(address, empty);
  if (site) return <SiteForm first={site} isNew kept={nothingKept} close={close} />;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    setSite(begun);
  };
  return (
    <form className={styles.form} onSubmit={submit} aria-label={t('settings.addSite')} data-testid="site-new">
      <TextInput
        ref={input}
        label={t('siteForm.baseUrl')}
        description={t('siteForm.baseUrlHint')}
        placeholder={t('siteForm.baseUrlExample')}
        value={address}
        onChange={(event) => setAddress(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
        data-testid="site-address"
      />
      <Group>
        <Button type="submit" disabled={begun === null} data-testid="site-next">
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
