import { Button, Group, PasswordInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useAppState } from '@/base/appState';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { Dialog } from '@/components/page/Dialog';
import { commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import styles from './common/settings.module.css';

type DialogProps = { close: () => void };

/** Unlocks the secrets file. After a wrong passphrase you can try again. */
function UnlockDialog({ close }: DialogProps) {
  const { t } = useTranslation();
  const [passphrase, setPassphrase] = useState('');
  const unlock = useMutation({ mutationFn: () => commands.vaultUnlock(passphrase), onSuccess: close });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (passphrase) unlock.mutate();
  };
  return (
    <Dialog title={t('vault.unlockTitle')} close={close}>
      <form className={styles.form} onSubmit={submit} data-testid="vault-unlock">
        <p>{t('vault.unlockWhat')}</p>
        <PassphraseInput label={t('vault.phrase')} value={passphrase} change={setPassphrase} testid="vault-passphrase" />
        {unlock.error && <ProblemNote problem={toProblem(unlock.error)} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-testid="vault-later">
            {t('vault.later')}
          </Button>
          <Button type="submit" disabled={!passphrase || unlock.isPending} data-testid="vault-unlock-confirm">
            {t('vault.unlock')}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}

/** Creates the secrets file, or changes its passphrase. */
function NewPassphraseDialog({ close }: DialogProps) {
  const { t } = useTranslation();
  const [passphrase, setPassphrase] = useState('');
  const [again, setAgain] = useState('');
  const create = useMutation({ mutationFn: () => commands.vaultCreate(passphrase), onSuccess: close });
  const same = passphrase === again;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (passphrase && same) create.mutate();
  };
  return (
    <Dialog title={t('vault.createTitle')} close={close}>
      <form className={styles.form} onSubmit={submit} data-testid="vault-create">
        <p>{t('vault.createWhat')}</p>
        <PassphraseInput label={t('vault.phrase')} value={passphrase} change={setPassphrase} testid="vault-new" />
        <PassphraseInput
          label={t('vault.again')}
          value={again}
          change={setAgain}
          error={again && !same ? t('vault.differ') : undefined}
          testid="vault-again"
        />
        {create.error && <ProblemNote problem={toProblem(create.error)} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" disabled={!passphrase || !same || create.isPending} data-testid="vault-create-confirm">
            {t('vault.createDo')}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}

/** Confirms removing the secrets file. If the file is locked, its secrets are lost. */
function RemoveFileDialog({ close }: DialogProps) {
  const { t } = useTranslation();
  const remove = useMutation({ mutationFn: () => commands.vaultRemove(), onSuccess: close });
  return (
    <Dialog title={t('vault.removeTitle')} close={close}>
      <p>{t('vault.removeWhat')}</p>
      {remove.error && <ProblemNote problem={toProblem(remove.error)} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {t('common.cancel')}
        </Button>
        <Button color="red" onClick={() => remove.mutate()} disabled={remove.isPending} data-testid="vault-remove-confirm">
          {t('vault.removeDo')}
        </Button>
      </Group>
    </Dialog>
  );
}

type PassphraseProps = { label: string; value: string; change: (text: string) => void; error?: string; testid: string };

function PassphraseInput({ label, value, change, error, testid }: PassphraseProps) {
  const { t } = useTranslation();
  return (
    <PasswordInput
      label={label}
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
      error={error}
      visibilityToggleButtonProps={{ 'aria-label': t('siteForm.showSecret') }}
      autoComplete="off"
      data-testid={testid}
    />
  );
}

type SecretsDialog = 'unlock' | 'create' | 'remove';

/** Shows where secrets are stored. Without a keychain, an encrypted file can be used. */
export function Secrets() {
  const { t } = useTranslation();
  const { data } = useAppState();
  const [openDialog, setOpenDialog] = useState<SecretsDialog | null>(null);
  if (!data) return null;
  const { vault } = data;
  const close = () => setOpenDialog(null);
  const button = (which: SecretsDialog, words: string) => (
    <Button size="xs" variant="default" onClick={() => setOpenDialog(which)} data-testid={`vault-ask-${which}`}>
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
      {openDialog === 'unlock' && <UnlockDialog close={close} />}
      {openDialog === 'create' && <NewPassphraseDialog close={close} />}
      {openDialog === 'remove' && <RemoveFileDialog close={close} />}
    </section>
  );
}

/** Asks for the passphrase once, when the window opens. It can also be entered in the settings. */
export function UnlockPrompt() {
  const { data } = useAppState();
  const [isDismissed, setDismissed] = useState(false);
  return data?.vault === 'locked' && !isDismissed ? <UnlockDialog close={() => setDismissed(true)} /> : null;
}
