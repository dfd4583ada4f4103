import { Button, Group, TextInput } from '@mantine/core';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Dialog } from '@/components/page/Dialog';
import { commands } from '@/ipc/bindings';
import { usePlantCommand } from './common/usePlant';

/** Puts the plant's state aside under a name. */
export function StateForm({ durable, close }: { durable: boolean; close: () => void }) {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const { run, busy } = usePlantCommand();
  const given = name.trim();
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (given) run(() => commands.plantSnapshot(given), close);
  };
  return (
    <Dialog title={t('plant.state.asideTitle')} close={close}>
      <form onSubmit={submit}>
        <TextInput
          label={t('plant.state.asideName')}
          description={t(durable ? 'plant.state.asideHint' : 'plant.state.asideBrief')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
          data-testid="plant-snapshot-name"
        />
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" disabled={!given || busy} data-testid="plant-snapshot-save">
            {t('plant.state.asideYes')}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
