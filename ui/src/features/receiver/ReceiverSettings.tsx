import { ActionIcon, Button, NumberInput, PasswordInput, SegmentedControl, Select, Switch } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import { commands, type Place, type ReceiverView } from '@/ipc/bindings';
import { queryKeys } from '@/base/queryKeys';
import { showProblemNotice } from '@/components/notices/problemNotice';

import { useIsPractice } from './useIsPractice';
import type { ReceiverActions } from './useReceiver';
import styles from './receiver.module.css';
import { useTray } from './useTray';

/** Sets whether Takt stays in the tray when its window is closed. Hidden if the desktop has no tray. */
function TraySwitch() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data } = useTray();
  const { mutate, isPending } = useMutation({
    mutationFn: (enabled: boolean) => commands.trayEnable(enabled),
    onError: showProblemNotice,
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.tray }),
  });
  if (!data?.offered) return null;
  return (
    <Switch
      label={t('tray.keep')}
      description={t('tray.keepHint')}
      checked={data.enabled}
      disabled={isPending}
      onChange={(event) => mutate(event.currentTarget.checked)}
      data-testid="tray-keep"
    />
  );
}

/** Sets whether Takt starts when you sign in to the computer. */
function AutostartSwitch() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data } = useQuery({ queryKey: queryKeys.autostart, queryFn: () => commands.autostartEnabled() });
  const { mutate, isPending } = useMutation({
    mutationFn: (enabled: boolean) => commands.autostartEnable(enabled),
    onError: showProblemNotice,
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.autostart }),
  });
  if (data === undefined) return null;
  return (
    <Switch
      label={t('autostart.enable')}
      description={t('autostart.hint')}
      checked={data}
      disabled={isPending}
      onChange={(event) => mutate(event.currentTarget.checked)}
      data-testid="autostart"
    />
  );
}

/** Prefix of Standard Webhooks secrets. */
const WEBHOOK_PREFIX = 'whsec_';

type SignatureScheme = 'webhooks' | 'body';

type SecretsProps = { count: number; practice: boolean; actions: ReceiverActions };

/** The signing secrets of events. Secrets can be added, but aren't shown. */
function Secrets({ count, practice, actions }: SecretsProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const [chosen, choose] = useState<SignatureScheme>('webhooks');
  const prefixed = typed.trim().startsWith(WEBHOOK_PREFIX);
  // A prefix shows that the secret is for Standard Webhooks.
  const scheme: SignatureScheme = prefixed ? 'webhooks' : chosen;
  const fits = typed.trim() !== '' && prefixed === (scheme === 'webhooks');
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (fits) actions.addSecret(typed, () => setTyped(''));
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
              disabled={actions.busy}
              onClick={() => actions.removeSecret(at)}
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
        <Button size="xs" type="submit" variant="default" disabled={!fits || actions.busy} data-testid="receiver-secret-add">
          {t('receiver.addSecret')}
        </Button>
      </form>
    </section>
  );
}

type Props = { receiver: ReceiverView; actions: ReceiverActions };

/** A receiver's settings: start, address and signature check. */
export function ReceiverSettings({ receiver, actions }: Props) {
  const { t } = useTranslation();
  const practice = useIsPractice();
  const { settings } = receiver;
  return (
    <div className={styles.form} data-testid="receiver-form">
      <Switch
        label={t('receiver.withTakt')}
        checked={settings.withTakt}
        onChange={(event) => actions.change({ ...settings, withTakt: event.currentTarget.checked })}
        data-testid="receiver-with-takt"
      />
      <TraySwitch />
      <AutostartSwitch />
      <ListenAddress receiver={receiver} actions={actions} />
      {receiver.urls.length > 1 && (
        <div className="small">
          <p className="muted">{t('receiver.also')}</p>
          {receiver.urls.slice(1).map((url) => (
            <code key={url} className={styles.also}>
              {url}
            </code>
          ))}
        </div>
      )}
      <Secrets count={receiver.secrets} practice={practice} actions={actions} />
    </div>
  );
}

function ListenAddress({ receiver: { settings, places }, actions }: Props) {
  const { t } = useTranslation();
  const [port, setPort] = useState<string | number>(settings.port);
  const isListed = places.some(({ address }) => address === settings.address);
  const all = isListed ? places : [...places, { address: settings.address, card: null, own: false }];
  const shared = !all.some(({ address, own }) => own && address === settings.address);
  const savePort = () => {
    const next = typeof port === 'number' ? port : Number(port || 0);
    if (next !== settings.port && Number.isInteger(next)) actions.change({ ...settings, port: next });
  };
  const label = ({ address, card, own }: Place) => {
    if (own) return t('receiver.own', { address });
    return card === null ? t('receiver.everywhere', { address }) : t('receiver.card', { address, card });
  };
  return (
    <>
      <div className={styles.where}>
        <Select
          label={t('receiver.listens')}
          data={all.map((place) => ({ value: place.address, label: label(place) }))}
          value={settings.address}
          onChange={(address) => address !== null && actions.change({ ...settings, address: String(address) })}
          allowDeselect={false}
          comboboxProps={{ withinPortal: false }}
          data-testid="receiver-listens"
        />
        <NumberInput
          label={t('receiver.port')}
          w={96}
          min={0}
          max={65_535}
          allowDecimal={false}
          hideControls
          value={port}
          onChange={setPort}
          onBlur={savePort}
          onKeyDown={(event) => event.key === 'Enter' && savePort()}
          data-testid="receiver-port"
        />
      </div>
      {shared && (
        <p className={styles.warning} data-testid="receiver-shared">
          <span aria-hidden>▲</span> {t('receiver.shared')}
        </p>
      )}
      <p className="muted small">{t('receiver.stays')}</p>
    </>
  );
}
