import { ActionIcon } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, type SyntheticEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { type PageReading, PAGE_SIZES, QUICK_TURN_DELAY } from './useReadPage';
import styles from './read.module.css';

/** Selects the page and the rows per page. */
export function Pager({ page }: { page: PageReading }) {
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
          onChange={(event) => page.resize(Number(event.currentTarget.value))}
          data-testid="page-size"
        >
          {PAGE_SIZES.map((size) => (
            <option key={size} value={size}>
              {size}
            </option>
          ))}
        </select>
      </label>
      <TurnButton page={page} to={page.page - 1} isPossible={page.page > 1} name={t('browse.previous')} testId="page-previous">
        <IconChevronLeft size={16} aria-hidden />
      </TurnButton>
      <TypedPage key={page.page} page={page} />
      <span className="number" data-testid="page-number">
        {page.pages === null ? t('browse.ofUnknown') : t('browse.ofPages', { pages: number(page.pages) })}
      </span>
      <TurnButton page={page} to={page.page + 1} isPossible={more} name={t('browse.next')} testId="page-next">
        <IconChevronRight size={16} aria-hidden />
      </TurnButton>
    </span>
  );
}

type TurnProps = { page: PageReading; to: number; isPossible: boolean; name: string; testId: string; children: ReactNode };

/** Prefetches the page when the pointer enters the button or stays there after a click. */
function TurnButton({ page, to, isPossible, name, testId, children }: TurnProps) {
  const [isNear, setNear] = useState(false);
  // A touch has no hover, so only the page that it turned to is known.
  const [turnedTo, setTurnedTo] = useState<number | null>(null);
  const { busy, prepare, unprepare, turn } = page;
  const isLikely = isNear || turnedTo === page.page;
  useEffect(() => {
    if (!isLikely || busy || !isPossible) return undefined;
    const rested = setTimeout(() => prepare(to), QUICK_TURN_DELAY);
    return () => clearTimeout(rested);
  }, [isLikely, busy, isPossible, prepare, to]);
  const come = () => {
    setNear(true);
    if (isPossible) prepare(to);
  };
  const leave = () => {
    setNear(false);
    setTurnedTo(null);
    unprepare();
  };
  const press = () => {
    setTurnedTo(to);
    turn(to);
  };
  return (
    <ActionIcon
      variant="subtle"
      color="petrol"
      disabled={!isPossible}
      onClick={press}
      onPointerEnter={come}
      onPointerLeave={leave}
      // A mouse click also focuses the button, which keeps the focus after the pointer has left.
      onFocus={(event) => {
        if (event.currentTarget.matches(':focus-visible')) come();
      }}
      onBlur={leave}
      aria-label={name}
      data-testid={testId}
    >
      {children}
    </ActionIcon>
  );
}

/** Goes to the typed page on Enter, at most to the last one. */
function TypedPage({ page }: { page: PageReading }) {
  const { t } = useTranslation();
  const [text, setText] = useState(String(page.page));
  const go = (event: SyntheticEvent) => {
    event.preventDefault();
    const wanted = Number(text.trim());
    if (!Number.isInteger(wanted) || wanted < 1) return setText(String(page.page));
    const to = Math.min(wanted, page.pages ?? wanted);
    setText(String(to));
    if (to !== page.page) page.turn(to);
  };
  return (
    <form onSubmit={go}>
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
