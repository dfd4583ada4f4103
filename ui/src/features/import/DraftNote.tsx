import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { useImport } from '@/features/import-session';
import { type ImportView, commands } from '@/ipc/bindings';
import { useDraftSummary } from './common/useDraftSummary';
import styles from './draft.module.css';

/** Tells that a draft of the file was restored, or that the file has changed since, with a way to undo that. */
export function DraftNote({ view }: { view: ImportView }) {
  const { restored, earlier } = view.draft;
  if (restored) return <RestoredNote view={view} restored={restored} />;
  if (earlier) return <EarlierDraftNote view={view} earlier={earlier} />;
  return null;
}

function RestoredNote({ view, restored }: { view: ImportView; restored: NonNullable<ImportView['draft']['restored']> }) {
  const { t } = useTranslation();
  const { recently } = useFormats();
  const draftSummary = useDraftSummary();
  const { startOver, busy } = useImport();
  const [read, setRead] = useState<number | null>(null);
  if (read === view.id) return null;
  const what = draftSummary(restored);
  const when = recently(restored.changed);
  return (
    <div className={styles.note} role="status" data-testid="draft-back">
      <span>{what ? t('draft.backWith', { when, what }) : t('draft.back', { when })}</span>
      <Button size="compact-sm" variant="default" disabled={busy} onClick={() => void startOver()} data-testid="draft-start-over">
        {t('draft.startOver')}
      </Button>
      <Button size="compact-sm" variant="subtle" onClick={() => setRead(view.id)} data-testid="draft-read">
        {t('draft.hide')}
      </Button>
    </div>
  );
}

function EarlierDraftNote({ view, earlier }: { view: ImportView; earlier: NonNullable<ImportView['draft']['earlier']> }) {
  const { t } = useTranslation();
  const { recently } = useFormats();
  const words = useDraftSummary();
  const { apply, busy } = useImport();
  const [put, setPut] = useState<string | null>(null);
  if (put === earlier.hash) return null;
  const what = words(earlier);
  const discard = () => void commands.recentForget(earlier.hash).then(() => setPut(earlier.hash)).catch(showProblemNotice);
  return (
    <div className={styles.note} role="status" data-testid="draft-earlier">
      <span>
        {t('draft.changed', { file: view.file, when: recently(earlier.changed) })} {what && t('draft.notTaken', { what })}
      </span>
      <Button size="compact-sm" variant="default" disabled={busy} onClick={() => void apply(commands.importTakeColumns(view.id, earlier.hash))} data-testid="draft-columns">
        {t('draft.takeColumns')}
      </Button>
      <Button size="compact-sm" variant="subtle" disabled={busy} onClick={discard} data-testid="draft-forget">
        {t('draft.discardEarlier')}
      </Button>
    </div>
  );
}
