import { NumberInput, Select, Switch } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import { commands, type Place, type ReceiverView } from '@/ipc/bindings';
import { queryKeys } from '@/base/queryKeys';
import { showProblemNotice } from '@/components/notices/problemNotice';

import { Secrets } from './Secrets';
import { useIsPractice } from './useIsPractice';
import type { ReceiverActions } from './useReceiver';
import styles from './receiver.module.css';
import { useTray } from './useTray';

/** Whether Takt stays in the tray when the window closes. Hidden if the desktop has no tray. */
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

/** Whether Takt starts when you sign in to the computer. */
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

type Props = { receiver: ReceiverView; acts: ReceiverActions };

/** A receiver's settings: schedule, address and sender check. */
export function ReceiverSettings({ receiver, acts }: Props) {
  const { t } = useTranslation();
  const practice = useIsPractice();
  const { settings } = receiver;
  return (
    <div className={styles.form} data-testid="receiver-form">
      <Switch
        label={t('receiver.withTakt')}
        checked={settings.withTakt}
        onChange={(event) => acts.change({ ...settings, withTakt: event.currentTarget.checked })}
        data-testid="receiver-with-takt"
      />
      <TraySwitch />
      <AutostartSwitch />
      <Where receiver={receiver} acts={acts} />
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
      <Secrets count={receiver.secrets} practice={practice} acts={acts} />
    </div>
  );
}

function Where({ receiver: { settings, places }, acts }: Props) {
  const { t } = useTranslation();
  const [port, setPort] = useState<string | number>(settings.port);
  const isListed = places.some(({ address }) => address === settings.address);
  const all = isListed ? places : [...places, { address: settings.address, card: null, own: false }];
  const shared = !all.some(({ address, own }) => own && address === settings.address);
  const keepPort = () => {
    const next = typeof port === 'number' ? port : Number(port || 0);
    if (next !== settings.port && Number.isInteger(next)) acts.change({ ...settings, port: next });
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
          onChange={(address) => address !== null && acts.change({ ...settings, address: String(address) })}
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
          onBlur={keepPort}
          onKeyDown={(event) => event.key === 'Enter' && keepPort()}
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
