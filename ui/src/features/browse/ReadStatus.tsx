import { ActionIcon, Button, Progress } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '../../app/useFormats';
import type { AllReading } from './useReadAll';
import type { PageReading } from './useReadPage';
import styles from './browse.module.css';

/** Which page of how many, how many rows; or how far reading everything has come. */
export function ReadStatus({ page, all }: { page: PageReading; all: AllReading }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  if (all.running) return <AllProgress all={all} />;
  if (all.set) {
    return (
      <>
        <span className="number" role="status" data-testid="browse-total">
          {t('browse.allRows', { count: all.set.rows, rows: number(all.set.rows) })}
        </span>
        <Button size="compact-xs" variant="subtle" onClick={all.forget}>
          {t('browse.backToPages')}
        </Button>
      </>
    );
  }
  return (
    <>
      <span className="number" role="status" data-testid="browse-total">
        {page.asked && !page.problem ? t('browse.rows', { count: page.total ?? page.rows.length, rows: number(page.total ?? page.rows.length) }) : ''}
      </span>
      {page.pages !== null && page.pages > 1 && (
        <span className={styles.pager}>
          <ActionIcon
            variant="subtle"
            color="petrol"
            disabled={page.page <= 1 || page.busy}
            onClick={() => page.turn(page.page - 1)}
            aria-label={t('browse.previous')}
            data-testid="page-previous"
          >
            <IconChevronLeft size={16} aria-hidden />
          </ActionIcon>
          <span className="number" data-testid="page-number">
            {t('browse.page', { page: number(page.page), pages: number(page.pages) })}
          </span>
          <ActionIcon
            variant="subtle"
            color="petrol"
            disabled={page.page >= page.pages || page.busy}
            onClick={() => page.turn(page.page + 1)}
            aria-label={t('browse.next')}
            data-testid="page-next"
          >
            <IconChevronRight size={16} aria-hidden />
          </ActionIcon>
        </span>
      )}
    </>
  );
}

function AllProgress({ all }: { all: AllReading }) {
  const { t } = useTranslation();
  const { number, duration } = useFormats();
  const { progress, rate } = all;
  const total = progress?.total ?? null;
  const rows = progress?.rows ?? 0;
  const said = total === null ? t('browse.readSoFar', { rows: number(rows) }) : t('browse.readOf', { rows: number(rows), total: number(total) });
  return (
    <>
      <Progress
        className={styles.progress}
        value={total ? (rows / total) * 100 : 0}
        size="sm"
        aria-label={said}
        transitionDuration={120}
      />
      <span className="number" role="status">
        {said}
      </span>
      {rate > 0 && <span className="muted number">{t('submission.rate', { rate: number(Math.round(rate)) })}</span>}
      {rate > 0 && total !== null && (
        <span className="muted number">{t('submission.remaining', { time: duration((total - rows) / rate) })}</span>
      )}
      <Button size="compact-xs" variant="default" onClick={all.stop} data-testid="browse-stop">
        {t('browse.stop')}
      </Button>
    </>
  );
}
