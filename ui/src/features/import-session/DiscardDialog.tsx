import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useEffect, useRef } from 'react';

import { Dialog } from '@/components/page/Dialog';
import { commands, events } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';

import { storeCellEdit, useIsEditingCell } from './cellEdit';
import { confirmDiscard, useDiscardQuestion } from './discardQuestion';
import { useImport } from './ImportProvider';

/** Handles the request to close the window. If changes would be lost, the user is asked first. */
function useCloseQuestion(): void {
  const { view, edited } = useImport();
  const latest = useRef({ view, edited });
  useEffect(() => {
    latest.current = { view, edited };
  }, [view, edited]);
  const hasUnsentChanges = view !== null && edited && !view.draft.kept;
  // The value of a cell that is being edited is stored before the window closes.
  const isEditing = useIsEditingCell();
  useEffect(() => {
    void commands.closeGuard(hasUnsentChanges || isEditing).catch(() => undefined);
  }, [hasUnsentChanges, isEditing]);
  useEffect(
    () =>
      listen(events.closeRequested, () => {
        void commands.closeAcknowledge().catch(() => undefined);
        void storeCellEdit()
          .then((stored) => confirmDiscard(stored ? { view: stored, edited: true } : latest.current))
          .then((may) => (may ? commands.closeWindow() : null))
          .catch(() => undefined);
      }),
    [],
  );
}

/** Asks for confirmation before opening another file, closing the file or closing the window loses changes. */
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
