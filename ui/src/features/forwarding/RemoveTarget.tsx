import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Dialog } from '@/components/page/Dialog';
import { type ForwardTarget, commands } from '@/ipc/bindings';
import { useAct } from './useTargets';

/** The question before a target is forgotten with what waits for it. */
export function RemoveTarget({ target, close }: { target: ForwardTarget; close: () => void }) {
  const { t } = useTranslation();
  const { act, busy } = useAct();
  return (
    <Dialog title={t('forwarding.removeTitle', { name: target.name })} close={close}>
      <p>{t('forwarding.removeWhat', { count: target.waiting })}</p>
      <Group justify="flex-end">
        <Button variant="default" onClick={close} data-autofocus>
          {t('common.cancel')}
        </Button>
        <Button color="red" disabled={busy} onClick={() => act(() => commands.forwardRemove(target.id))} data-testid="forward-remove-yes">
          {t('forwarding.remove')}
        </Button>
      </Group>
    </Dialog>
  );
}
