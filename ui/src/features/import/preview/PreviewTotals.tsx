import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { KindSign } from '@/components/marks/KindMark';
import type { PreviewCounts, PreviewKind } from '@/ipc/bindings';
import { visibleKinds } from './previewKinds';
import styles from '../common/counts.module.css';

type Props = { counts: PreviewCounts; deletes: boolean; chosen: PreviewKind | null; choose: (kind: PreviewKind | null) => void };

/** The number of rows per outcome. Each number filters the grid. */
export function PreviewTotals({ counts, deletes, chosen, choose }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  return (
    <div className={styles.counts} role="group" aria-label={t('preview.totals')}>
      {visibleKinds(counts).map((kind) => (
        <UnstyledButton
          key={kind}
          className={styles.count}
          aria-pressed={chosen === kind}
          onClick={() => choose(chosen === kind ? null : kind)}
        >
          <KindSign kind={kind} deletes={deletes} />
          <span>{t(deletes && kind === 'changed' ? 'preview.kinds.deleted' : `preview.kinds.${kind}`)}</span>
          <b className="number" data-testid={`preview-${kind}`}>
            {number(counts[kind])}
          </b>
        </UnstyledButton>
      ))}
    </div>
  );
}
