import { Button, Group, Select, TextInput } from '@mantine/core';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { commands } from '@/ipc/bindings';
import { usePlantCommand } from '../common/usePlant';
import type { EventName } from './eventNames';
import styles from '../common/plant.module.css';

type Props = { events: EventName[]; close: () => void };

/** Sends an event that isn't caused by the floor. */
export function EventForm({ events, close }: Props) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const [event, setEvent] = useState<string | null>(null);
  const [order, setOrder] = useState('');
  const { run, busy } = usePlantCommand();
  const submit = (pressed: SyntheticEvent) => {
    pressed.preventDefault();
    const code = order.trim();
    if (event !== null) run(() => commands.plantFire(Number(event), code ? { code, operation: null } : null), close);
  };
  return (
    <form onSubmit={submit} className={styles.form}>
      <h2>{t('events.fire')}</h2>
      <Select
        label={t('events.event')}
        data={events.map((one) => ({ value: String(one.id), label: name(one) }))}
        value={event}
        onChange={setEvent}
        comboboxProps={{ withinPortal: false }}
          maxDropdownHeight={420}
        data-autofocus
        data-testid="fire-event"
      />
      <TextInput
        label={t('events.order')}
        description={t('events.orderHint')}
        value={order}
        onChange={(typed) => setOrder(typed.currentTarget.value)}
        autoComplete="off"
        data-testid="fire-order"
      />
      <Group justify="flex-end" gap="xs">
        <Button size="xs" variant="default" onClick={close}>
          {t('common.cancel')}
        </Button>
        <Button size="xs" type="submit" disabled={event === null || busy} data-testid="fire-yes">
          {t('events.fireYes')}
        </Button>
      </Group>
    </form>
  );
}
