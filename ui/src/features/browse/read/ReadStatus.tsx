import { Button, Progress } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { Pager } from './Pager';
import type { AllReading } from './useReadAll';
import type { PageReading } from './useReadPage';
import styles from './read.module.css';

/** Shows the page and row counts, or the progress and outcome of reading all pages. */
export function ReadStatus({ page, all }: { page: PageReading; all: AllReading }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  if (all.running) return <ReadAllProgress all={all} />;
  if (all.set) return <ReadAllEnd all={all} />;
  const rows = page.total ?? page.count;
  return (
    <>
      <span className="number" role="status" data-testid="browse-total">
        {page.asked && !page.problem && (page.total !== null || !page.busy) ? t('browse.rows', { count: rows, rows: number(rows) }) : ''}
      </span>
      <RateLimitNote until={page.waitingUntil} />
      {page.asked && <Pager page={page} />}
    </>
  );
}

/** Tells that requests wait for the rate limit. */
function RateLimitNote({ until }: { until: string | null }) {
  const { t } = useTranslation();
  const { timeOfDay } = useFormats();
  return (
    until !== null && (
      <span className={styles.waits} role="status" data-testid="browse-waits">
        {t('submission.waits', { time: timeOfDay(until) })}
      </span>
    )
  );
}

function useProgressText(all: AllReading): string {
  const { t } = useTranslation();
  const { number } = useFormats();
  const rows = number(all.progress?.rows ?? 0);
  const total = all.progress?.total ?? null;
  return total === null ? t('browse.readOfUnknown', { rows }) : t('browse.readOf', { count: total, rows, total: number(total) });
}

function ReadAllEnd({ all }: { all: AllReading }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const soFar = useProgressText(all);
  const rows = all.set?.rows ?? 0;
  return (
    <>
      <span className="number" role="status" data-testid="browse-total">
        {all.end === 'whole' ? t('browse.allRows', { count: rows, rows: number(rows) }) : soFar}
      </span>
      {all.end === 'stopped' && <span data-testid="browse-why">{t('browse.stopped')}</span>}
      {all.end === 'uneven' && <span data-testid="browse-why">{t('browse.uneven')}</span>}
      {all.problem && <span data-testid="browse-why">{t('browse.brokenOff')}</span>}
      {all.open && (
        <Button size="compact-xs" onClick={() => void all.resume()} data-testid="browse-go-on">
          {t('browse.goOn')}
        </Button>
      )}
      {all.end === 'uneven' && (
        <Button size="compact-xs" variant="default" onClick={() => void all.start()}>
          {t('browse.readAnew')}
        </Button>
      )}
      <Button size="compact-xs" variant="subtle" onClick={all.forget} data-testid="browse-pages">
        {t('browse.backToPages')}
      </Button>
    </>
  );
}

function ReadAllProgress({ all }: { all: AllReading }) {
  const { t } = useTranslation();
  const { number, duration } = useFormats();
  const { progress, rate } = all;
  const progressText = useProgressText(all);
  const total = progress?.total ?? null;
  const rows = progress?.rows ?? 0;
  return (
    <>
      <Progress
        className={styles.progress}
        value={total ? (rows / total) * 100 : 0}
        size="sm"
        aria-label={progressText}
        transitionDuration={120}
      />
      <span className="number" role="status" data-testid="browse-progress">
        {progressText}
      </span>
      {rate > 0 && <span className="muted number">{t('submission.rate', { rate: number(Math.round(rate)) })}</span>}
      <RateLimitNote until={progress?.waitingUntil ?? null} />
      {rate > 0 && total !== null && (
        <span className="muted number">{t('submission.remaining', { time: duration(Math.max(0, total - rows) / rate) })}</span>
      )}
      <Button size="compact-xs" variant="default" onClick={all.stop} data-testid="browse-stop">
        {t('browse.stop')}
      </Button>
    </>
  );
}
