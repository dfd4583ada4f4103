import { Button, Group, Select, TextInput } from '@mantine/core';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { type StationView, commands } from '@/ipc/bindings';
import { usePlantCommand } from './usePlant';
import styles from './plant.module.css';

type Props = { stations: StationView[]; close: () => void };

/** Raises an alert at a work station, as an operator would. */
export function AlertForm({ stations, close }: Props) {
  const { t } = useTranslation();
  const singleStation = stations.length === 1 ? stations[0] : undefined;
  const [station, setStation] = useState(singleStation?.code ?? '');
  const [kind, setKind] = useState('');
  const [note, setNote] = useState('');
  const { run, busy } = usePlantCommand();
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const alertMove = { move: 'raiseAlert', station, kind: kind.trim() || null, note: note.trim() || null } as const;
    if (station) run(() => commands.plantAct(alertMove), close);
  };
  return (
    <form onSubmit={submit} className={styles.form}>
      <h2>{singleStation ? t('alerts.raiseAt', { station: singleStation.description }) : t('alerts.raise')}</h2>
      {!singleStation && (
        <Select
          label={t('floor.station')}
          data={stations.map(({ code, description }) => ({ value: code, label: description }))}
          value={station || null}
          onChange={(chosen) => setStation(chosen ?? '')}
          searchable
          comboboxProps={{ withinPortal: false }}
          maxDropdownHeight={420}
          nothingFoundMessage={t('common.nothing')}
          data-autofocus
          data-testid="alert-station"
        />
      )}
      <TextInput
        label={t('alerts.kind')}
        value={kind}
        onChange={(event) => setKind(event.currentTarget.value)}
        data-autofocus={singleStation ? true : undefined}
        data-testid="alert-kind"
      />
      <TextInput label={t('alerts.note')} value={note} onChange={(event) => setNote(event.currentTarget.value)} data-testid="alert-note" />
      <Group justify="flex-end" gap="xs">
        <Button size="xs" variant="default" onClick={close}>
          {t('common.cancel')}
        </Button>
        <Button size="xs" type="submit" disabled={!station || busy} data-testid="alert-raise">
          {t('alerts.raiseYes')}
        </Button>
      </Group>
    </form>
  );
}
