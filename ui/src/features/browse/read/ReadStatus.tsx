import { ActionIcon, Button, Progress } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, type SyntheticEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { AllReading } from './useReadAll';
import { PAGE_SIZES, type PageReading, QUICK_TURN_DELAY } from './useReadPage';
import styles from './read.module.css';

/** Selects the page and the rows per page. */
function Pager({ page }: { page: PageReading }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const more = page.pages === null ? page.rows.length > 0 : page.page < page.pages;
  return (
    <span className={styles.pager}>
      <label className={styles.sizeLabel}>
        {t('browse.perPage')}
        <select
          className={styles.size}
          value={page.limit}
          onChange={(event) => page.setPageSize(Number(event.currentTarget.value))}
          data-testid="page-size"
        >
          {PAGE_SIZES.map((size) => (
            <option key={size} value={size}>
              {size}
            </option>
          ))}
        </select>
      </label>
      <PageButton page={page} to={page.page - 1} isPossible={page.page > 1} name={t('browse.previous')} testId="page-previous">
        <IconChevronLeft size={16} aria-hidden />
      </PageButton>
      <PageNumberInput key={page.page} page={page} />
      <span className="number" data-testid="page-number">
        {page.pages === null ? t('browse.ofUnknown') : t('browse.ofPages', { pages: number(page.pages) })}
      </span>
      <PageButton page={page} to={page.page + 1} isPossible={more} name={t('browse.next')} testId="page-next">
        <IconChevronRight size={16} aria-hidden />
      </PageButton>
    </span>
  );
}

type PageButtonProps = { page: PageReading; to: number; isPossible: boolean; name: string; testId: string; children: ReactNode };

/** A button to page `to`. It prefetches that page once the pointer or the focus is on it. */
function PageButton({ page, to, isPossible, name, testId, children }: PageButtonProps) {
  const [isNear, setNear] = useState(false);
  // Touch has no hover, so a tap also prefetches the next page in this direction.
  const [turnedTo, setTurnedTo] = useState<number | null>(null);
  const { busy, prefetch, cancelPrefetch, goToPage } = page;
  const isLikely = isNear || turnedTo === page.page;
  useEffect(() => {
    if (!isLikely || busy || !isPossible) return undefined;
    const timer = setTimeout(() => prefetch(to), QUICK_TURN_DELAY);
    return () => clearTimeout(timer);
  }, [isLikely, busy, isPossible, prefetch, to]);
  const handleEnter = () => {
    setNear(true);
    if (isPossible) prefetch(to);
  };
  const handleLeave = () => {
    setNear(false);
    setTurnedTo(null);
    cancelPrefetch();
  };
  const handleClick = () => {
    setTurnedTo(to);
    goToPage(to);
  };
  return (
    <ActionIcon
      variant="subtle"
      color="petrol"
      disabled={!isPossible}
      onClick={handleClick}
      onPointerEnter={handleEnter}
      onPointerLeave={handleLeave}
      // A click also focuses the button, but only focus by keyboard makes the next page likely.
      onFocus={(event) => {
        if (event.currentTarget.matches(':focus-visible')) handleEnter();
      }}
      onBlur={handleLeave}
      aria-label={name}
      data-testid={testId}
    >
      {children}
    </ActionIcon>
  );
}

/** Goes to the typed page on Enter, at most to the last one. */
function PageNumberInput({ page }: { page: PageReading }) {
  const { t } = useTranslation();
  const [text, setText] = useState(String(page.page));
  const handleSubmit = (event: SyntheticEvent) => {
    event.preventDefault();
    const typedPage = Number(text.trim());
    if (!Number.isInteger(typedPage) || typedPage < 1) return setText(String(page.page));
    const to = Math.min(typedPage, page.pages ?? typedPage);
    setText(String(to));
    if (to !== page.page) page.goToPage(to);
  };
  return (
    <form onSubmit={handleSubmit}>
      <input
        className={`number ${styles.pageNumber}`}
        inputMode="numeric"
        aria-label={t('browse.pageNumber')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onBlur={() => setText(String(page.page))}
        data-testid="page-typed"
      />
    </form>
  );
}

/** Shows the page and row counts, or the progress and outcome of reading all pages. */
export function ReadStatus({ page, all }: { page: PageReading; all: AllReading }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  if (all.running) return <ReadAllProgress all={all} />;
  if (all.set) return <ReadAllOutcome all={all} />;
  const rows = page.total ?? page.count;
  return (
    <>
      <span className="number" role="status" data-testid="browse-total">
        {page.isRequested && !page.problem && (page.total !== null || !page.busy) ? t('browse.rows', { count: rows, rows: number(rows) }) : ''}
      </span>
      <RateLimitNote until={page.waitingUntil} />
      {page.isRequested && <Pager page={page} />}
    </>
  );
}

/** Shows until when requests wait because of the rate limit. */
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

function ReadAllOutcome({ all }: { all: AllReading }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const progressText = useProgressText(all);
  const rows = all.set?.rows ?? 0;
  return (
    <>
      <span className="number" role="status" data-testid="browse-total">
        {all.end === 'whole' ? t('browse.allRows', { count: rows, rows: number(rows) }) : progressText}
      </span>
      {all.end === 'stopped' && <span data-testid="browse-why">{t('browse.stopped')}</span>}
      {all.end === 'uneven' && <span data-testid="browse-why">{t('browse.uneven')}</span>}
      {all.problem && <span data-testid="browse-why">{t('browse.brokenOff')}</span>}
      {all.canResume && (
        <Button size="compact-xs" onClick={() => void all.resume()} data-testid="browse-go-on">
          {t('browse.goOn')}
        </Button>
      )}
      {all.end === 'uneven' && (
        <Button size="compact-xs" variant="default" onClick={() => void all.start()}>
          {t('browse.readAnew')}
        </Button>
      )}
      <Button size="compact-xs" variant="subtle" onClick={all.discard} data-testid="browse-pages">
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
