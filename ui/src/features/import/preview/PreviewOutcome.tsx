import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { KindSign, PREVIEW_KINDS } from '@/components/marks/KindMark';
import { useImport } from '@/features/import-session';
import type { ImportView } from '@/ipc/bindings';
import { useCurrentPreview } from './usePreview';
import styles from './preview.module.css';

/** Summarizes the preview, or tells that there is none. */
export function PreviewOutcome({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { goStep, choice } = useImport();
  const preview = useCurrentPreview(view);
  const look = (
    <Button variant="subtle" size="compact-sm" onClick={() => goStep('preview')} data-testid="look-at-preview">
      {t(preview ? 'preview.lookAgain' : 'preview.look')}
    </Button>
  );
  const deletes = preview?.steps.every((step) => step.deletes) ?? false;
  const shownKinds = preview ? PREVIEW_KINDS.filter((kind) => preview.counts[kind] > 0) : [];
  return (
    <>
      <dt>{t('import.steps.preview')}</dt>
      <dd className={styles.seen} data-testid="seen">
        {shownKinds.map((kind) => (
          <span key={kind} className={styles.mark}>
            <KindSign kind={kind} deletes={deletes} />
            <span>
              {t(deletes && kind === 'changed' ? 'preview.kinds.deleted' : `preview.kinds.${kind}`)} <b className="number">{number(preview?.counts[kind] ?? 0)}</b>
            </span>
          </span>
        ))}
        {!preview && <span className="muted">{t('preview.unseen')}</span>}
        {preview && preview.counts.same > 0 && !choice.sendSame && <span className="muted">{t('preview.sameStays')}</span>}
        {preview && preview.counts.notLinked > 0 && !choice.sendSame && <span className="muted">{t('preview.notLinkedStays')}</span>}
        {preview?.steps.some((step) => step.deletes && step.counts.unknown > 0) && !choice.sendUnchecked && (
          <span className="muted">{t('preview.uncheckedStays')}</span>
        )}
        {look}
      </dd>
    </>
  );
}
