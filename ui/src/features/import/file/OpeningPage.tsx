import { Button, Progress } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { PageFrame } from '@/components/page/PageFrame';
import { usePageKeys } from '@/components/page/pageKeys';
import type { Opening } from '@/features/import-session';
import { PlainTable } from './PlainTable';
import styles from './opening.module.css';

/** Screen readers announce the progress in steps of this size, in percent. */
const ANNOUNCEMENT_STEP = 25;

/** Shows a file that is being read: name, progress, first rows, and a cancel button. */
export function OpeningPage({ opening, stop }: { opening: Opening; stop: () => void }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  usePageKeys((event) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    stop();
  });
  const { file, sheet, rows, share, head } = opening;
  const percent = share === null ? null : Math.min(100, Math.floor(share * 100));
  const step = percent === null ? null : Math.floor(percent / ANNOUNCEMENT_STEP) * ANNOUNCEMENT_STEP;
  return (
    <PageFrame
      title={t('import.opening.title', { file })}
      subtitle={sheet ? <span>{sheet}</span> : null}
      action={
        <Button variant="default" onClick={stop} aria-keyshortcuts="Escape" data-testid="opening-stop">
          {t('import.opening.stop')}
        </Button>
      }
    >
      <div className={styles.opening} data-testid="opening">
        <div className={styles.line}>
          {percent !== null && (
            <Progress className={styles.bar} value={percent} aria-label={t('import.opening.title', { file })} />
          )}
          <span className="number" data-testid="opening-rows">
            {percent === null
              ? t('import.opening.rows', { count: rows, rows: number(rows) })
              : t('import.opening.far', { percent, count: rows, rows: number(rows) })}
          </span>
        </div>
        <p className="hidden" role="status">
          {step === null ? t('import.opening.title', { file }) : t('import.opening.said', { file, percent: step })}
        </p>
        {head.length > 0 && (
          <>
            <p className="muted small">{t('import.opening.head', { count: head.length })}</p>
            <PlainTable rows={head} label={t('import.opening.head', { count: head.length })} testId="opening-head" />
          </>
        )}
      </div>
    </PageFrame>
  );
}
