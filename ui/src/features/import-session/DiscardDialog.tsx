import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Dialog } from '@/components/page/Dialog';
import { useDiscardQuestion } from './discardQuestion';
import { useCloseQuestion } from './useCloseQuestion';

/** Asked before changes are lost that no draft keeps: by another file, by closing this one, or by closing the window. */
export function DiscardDialog() {
  const { t } = useTranslation();
  useCloseQuestion();
  const question = useDiscardQuestion();
  if (!question) return null;
  const { file, answer } = question;
  return (
    <Dialog title={t('import.discard.title', { file })} close={() => answer(false)}>
      <p data-testid="discard">{t('import.discard.explain')}</p>
      <Group justify="flex-end">
        <Button variant="default" onClick={() => answer(false)} data-autofocus data-testid="discard-keep">
          {t('import.discard.keep')}
        </Button>
        <Button color="red" onClick={() => answer(true)} data-testid="discard-do">
          {t('import.discard.do')}
        </Button>
      </Group>
    </Dialog>
  );
}
