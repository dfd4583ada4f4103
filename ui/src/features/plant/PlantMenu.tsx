import { Button, Group, Menu, TextInput } from '@mantine/core';
import { IconBookmark, IconChevronDown, IconHistory, IconRestore } from '@tabler/icons-react';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQueryClient } from '@tanstack/react-query';

import { commands, type Overview } from '@/ipc/bindings';
import { Dialog } from '@/components/page/Dialog';

import { usePlantCommand } from './common/usePlant';

/** Saves the plant's state under a name. */
function StateForm({ durable, close }: { durable: boolean; close: () => void }) {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const { run, busy } = usePlantCommand();
  const trimmedName = name.trim();
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (trimmedName) run(() => commands.plantSnapshot(trimmedName), close);
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
          <Button type="submit" disabled={!trimmedName || busy} data-testid="plant-snapshot-save">
            {t('plant.state.asideYes')}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}

type ConfirmDialogProps = { title: string; warning: string; confirmLabel: string; act: () => Promise<unknown>; close: () => void; testId: string };

/** Confirms an action that discards the plant's state. */
function ConfirmDialog({ title, warning, confirmLabel, act, close, testId }: ConfirmDialogProps) {
  const { t } = useTranslation();
  const { run, busy } = usePlantCommand();
  const client = useQueryClient();
  const done = () => {
    // Lists, orders and submissions show other rows now.
    void client.invalidateQueries();
    close();
  };
  return (
    <Dialog title={title} close={close}>
      <p>{warning}</p>
      <Group justify="flex-end">
        <Button variant="default" onClick={close} data-autofocus data-testid={testId.replace(/confirm$/u, 'cancel')}>
          {t('common.cancel')}
        </Button>
        <Button color="red" disabled={busy} onClick={() => run(act, done)} data-testid={testId}>
          {confirmLabel}
        </Button>
      </Group>
    </Dialog>
  );
}

type PlantDialog = { what: 'aside' } | { what: 'reset' } | { what: 'restore'; name: string };

/** Menu with restart, and the saved states. */
export function PlantMenu({ plant }: { plant: Overview }) {
  const { t } = useTranslation();
  const [dialog, setDialog] = useState<PlantDialog | null>(null);
  const close = () => setDialog(null);
  const rows = plant.holdings.reduce((sum, holding) => sum + holding.rows, 0);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={14} aria-hidden />} data-testid="plant-state">
            {t('plant.state.open')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconBookmark size={14} aria-hidden />}
            onClick={() => setDialog({ what: 'aside' })}
            data-testid="plant-snapshot"
          >
            {t('plant.state.aside')}
          </Menu.Item>
          {plant.snapshots.map((name) => (
            <Menu.Item
              key={name}
              leftSection={<IconHistory size={14} aria-hidden />}
              onClick={() => setDialog({ what: 'restore', name })}
              data-testid={`plant-restore-${name}`}
            >
              {t('plant.state.restore', { name })}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item
            leftSection={<IconRestore size={14} aria-hidden />}
            onClick={() => setDialog({ what: 'reset' })}
            data-testid="plant-reset"
          >
            {t('plant.state.reset')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog?.what === 'aside' && <StateForm durable={plant.durable} close={close} />}
      {dialog?.what === 'reset' && (
        <ConfirmDialog
          title={t('plant.state.resetTitle')}
          warning={t('plant.state.resetWhat', { count: rows })}
          confirmLabel={t('plant.state.resetYes')}
          act={() => commands.plantReset()}
          close={close}
          testId="plant-reset-confirm"
        />
      )}
      {dialog?.what === 'restore' && (
        <ConfirmDialog
          title={t('plant.state.restoreTitle', { name: dialog.name })}
          warning={t('plant.state.restoreWhat', { count: rows })}
          confirmLabel={t('plant.state.restoreYes', { name: dialog.name })}
          act={() => commands.plantRestore(dialog.name)}
          close={close}
          testId="plant-restore-confirm"
        />
      )}
    </>
  );
}
