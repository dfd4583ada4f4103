import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useAppState } from '@/base/appState';
import { NewPassphraseDialog, RemoveFileDialog, UnlockDialog } from './PassphraseDialogs';
import styles from './common/settings.module.css';

type Asked = 'unlock' | 'create' | 'remove';

/** The storage of secrets, with an encrypted file as alternative to a keychain. */
export function Secrets() {
  const { t } = useTranslation();
  const { data } = useAppState();
  const [asked, setAsked] = useState<Asked | null>(null);
  if (!data) return null;
  const { vault } = data;
  const close = () => setAsked(null);
  const button = (which: Asked, words: string) => (
    <Button size="xs" variant="default" onClick={() => setAsked(which)} data-testid={`vault-ask-${which}`}>
      {words}
    </Button>
  );
  return (
    <section className={styles.section} aria-labelledby="secrets">
      <h2 id="secrets">{t('vault.title')}</h2>
      <p data-testid="vault">{t(`vault.${vault}`)}</p>
      <Group>
        {vault === 'locked' && button('unlock', t('vault.unlock'))}
        {(vault === 'kernel' || vault === 'memory') && button('create', t('vault.create'))}
        {vault === 'passphrase' && button('create', t('vault.change'))}
        {(vault === 'passphrase' || vault === 'locked') && button('remove', t('vault.remove'))}
      </Group>
      {asked === 'unlock' && <UnlockDialog close={close} />}
      {asked === 'create' && <NewPassphraseDialog close={close} />}
      {asked === 'remove' && <RemoveFileDialog close={close} />}
    </section>
  );
}

/** Asks for the passphrase once when the window opens. The settings can ask again. */
export function UnlockQuestion() {
  const { data } = useAppState();
  const [put, setPut] = useState(false);
  return data?.vault === 'locked' && !put ? <UnlockDialog close={() => setPut(true)} /> : null;
}
