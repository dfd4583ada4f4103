import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Dialog } from '@/components/page/Dialog';
import { usePlantCommand } from './common/usePlant';

type Props = { title: string; what: string; yes: string; act: () => Promise<unknown>; close: () => void; testId: string };

/** Confirms an action that discards the plant's state. */
export function ConfirmDialog({ title, what, yes, act, close, testId }: Props) {
  const { t } = useTranslation();
  const { run, busy } = usePlantCommand();
  return (
    <Dialog title={title} close={close}>
      <p>{what}</p>
      <Group justify="flex-end">
        <Button variant="default" onClick={close} data-autofocus data-testid={testId.replace(/confirm$/u, 'cancel')}>
          {t('common.cancel')}
        </Button>
        <Button color="red" disabled={busy} onClick={() => run(act, close)} data-testid={testId}>
          {yes}
        </Button>
      </Group>
    </Dialog>
  );
}
