import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Dialog } from '@/components/page/Dialog';

type Props = { file: string; what: string; keep: () => void; discard: () => void };

/** A draft that was discarded is gone. */
export function DiscardDraft({ file, what, keep, discard }: Props) {
  const { t } = useTranslation();
  return (
    <Dialog title={t('home.discardTitle', { file })} close={keep}>
      <p>{t('home.discardExplain', { what })}</p>
      <Group justify="flex-end">
        <Button variant="default" onClick={keep} data-autofocus data-testid="draft-keep">
          {t('home.keep')}
        </Button>
        <Button color="red" onClick={discard} data-testid="draft-discard-do">
          {t('home.discard')}
        </Button>
      </Group>
    </Dialog>
  );
}
