import { Button, Group, NumberInput } from '@mantine/core';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { type OrderView, commands } from '@/ipc/bindings';
import { usePlantCommand } from '../common/usePlant';
import { orderName } from './moves';
import styles from '../common/plant.module.css';

type Props = { order: OrderView; close: () => void };

/** Adds good and bad quantities to an order's output. */
export function QuantityForm({ order, close }: Props) {
  const { t } = useTranslation();
  const [good, setGood] = useState<number | string>('');
  const [bad, setBad] = useState<number | string>('');
  const { run, busy } = usePlantCommand();
  const some = Number(good) > 0 || Number(bad) > 0;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const trackMove = { move: 'track', order: orderName(order), good: Number(good), bad: Number(bad) } as const;
    if (some) run(() => commands.plantAct(trackMove), close);
  };
  return (
    <form onSubmit={submit} className={styles.form}>
      <h2>{t('floor.record', { order: order.code })}</h2>
      <Group grow>
        <NumberInput
          label={t('floor.good')}
          value={good}
          onChange={setGood}
          min={0}
          hideControls
          data-autofocus
          data-testid="plant-good"
        />
        <NumberInput label={t('floor.scrap')} value={bad} onChange={setBad} min={0} hideControls data-testid="plant-bad" />
      </Group>
      <Group justify="flex-end" gap="xs">
        <Button size="xs" variant="default" onClick={close}>
          {t('common.cancel')}
        </Button>
        <Button size="xs" type="submit" disabled={!some || busy} data-testid="plant-track">
          {t('floor.recordYes')}
        </Button>
      </Group>
    </form>
  );
}
