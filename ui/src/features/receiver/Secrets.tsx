import { ActionIcon, Button, PasswordInput, SegmentedControl } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { ReceiverActions } from './useReceiver';
import styles from './receiver.module.css';

/** Prefix of Standard Webhooks secrets. */
const WEBHOOK_PREFIX = 'whsec_';

type Scheme = 'webhooks' | 'body';

type Props = { count: number; practice: boolean; acts: ReceiverActions };

/** The signing secrets of events. Secrets can be added, but aren't shown. */
export function Secrets({ count, practice, acts }: Props) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const [chosen, choose] = useState<Scheme>('webhooks');
  const prefixed = typed.trim().startsWith(WEBHOOK_PREFIX);
  // The prefix identifies the scheme.
  const scheme: Scheme = prefixed ? 'webhooks' : chosen;
  const fits = typed.trim() !== '' && prefixed === (scheme === 'webhooks');
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (fits) acts.addSecret(typed, () => setTyped(''));
  };
  return (
    <section>
      <h3 className={styles.part}>{t('receiver.secrets')}</h3>
      <p className="muted small">{t(count === 0 ? 'receiver.noSecrets' : practice ? 'receiver.practiceSecrets' : 'receiver.someSecrets')}</p>
      <ul className={styles.secrets} data-testid="receiver-secrets">
        {Array.from({ length: count }, (_, at) => (
          <li key={at}>
            <span>{t('receiver.secret', { number: at + 1 })}</span>
            <ActionIcon
              variant="subtle"
              color="petrol"
              size="sm"
              aria-label={t('receiver.removeSecret', { number: at + 1 })}
              disabled={acts.busy}
              onClick={() => acts.removeSecret(at)}
              data-testid={`receiver-secret-remove-${at}`}
            >
              <IconTrash size={14} aria-hidden />
            </ActionIcon>
          </li>
        ))}
      </ul>
      <SegmentedControl
        size="xs"
        aria-label={t('receiver.scheme')}
        data={[
          { value: 'webhooks', label: t('receiver.schemes.webhooks') },
          { value: 'body', label: t('receiver.schemes.body') },
        ]}
        value={scheme}
        onChange={(value) => choose(value === 'webhooks' ? 'webhooks' : 'body')}
        data-testid="receiver-scheme"
      />
      <p className="muted small" data-testid="receiver-scheme-covers">
        {t(`receiver.covers.${scheme}`)}
      </p>
      <form className={styles.add} onSubmit={submit}>
        <PasswordInput
          size="xs"
          aria-label={t('receiver.newSecret')}
          placeholder={scheme === 'webhooks' ? `${WEBHOOK_PREFIX}…` : t('receiver.newSecret')}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': t('receiver.showSecret') }}
          data-testid="receiver-secret"
        />
        <Button size="xs" type="submit" variant="default" disabled={!fits || acts.busy} data-testid="receiver-secret-add">
          {t('receiver.addSecret')}
        </Button>
      </form>
    </section>
  );
}
