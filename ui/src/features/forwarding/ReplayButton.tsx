import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { EventDetail } from '@/ipc/bindings';
import { ReplayDialog } from './ReplayDialog';

/** A button that opens the replay of one event. */
export function ReplayButton({ event }: { event: EventDetail }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)} data-testid="event-replay">
        {t('replay.open')}
      </Button>
      {open && <ReplayDialog query={{ only: [event.line.id] }} close={() => setOpen(false)} />}
    </>
  );
}
