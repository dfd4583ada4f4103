import { useTranslation } from 'react-i18next';

import type { ImportView } from '@/ipc/bindings';
import { useImportThings } from '../common/useImportThings';
import { useCurrentPreview } from '../preview/usePreview';
import styles from './send.module.css';

/** Whether what is sent now can be undone later, and what of it can't; said once the preview knows. */
export function UndoFacts({ view, deletes }: { view: ImportView; deletes: boolean }) {
  const { t } = useTranslation();
  const things = useImportThings(view);
  const preview = useCurrentPreview(view);
  if (!deletes && !preview) return null;
  const { changed, conflict, new: created, unknown } = preview?.counts ?? { changed: 0, conflict: 0, new: 0, unknown: 0 };
  const kept = changed + conflict;
  const unread = preview?.steps.some((step) => step.list !== null && step.counts.unknown > 0) ?? false;
  return (
    <>
      <dt>{t('send.undo')}</dt>
      <dd className={styles.lines} data-testid="send-undo">
        {deletes && <span>{t('send.noUndo')}</span>}
        {!deletes && kept > 0 && <span>{t('preview.undoable', { things: things(kept) })}</span>}
        {!deletes && created > 0 && <span>{t('preview.stays', { things: things(created) })}</span>}
        {!deletes && unknown > 0 && <span>{t(unread ? 'preview.notUndoableUnread' : 'preview.notUndoable')}</span>}
      </dd>
    </>
  );
}
