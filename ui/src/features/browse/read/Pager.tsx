import { ActionIcon } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { type PageReading, pageSizes } from './useReadPage';
import styles from './read.module.css';

/** Rows per page, and the way from page to page: one on, one back, or the number typed. */
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
          {pageSizes.map((size) => (
            <option key={size} value={size}>
              {size}
            </option>
          ))}
        </select>
      </label>
      <ActionIcon
        variant="subtle"
        color="petrol"
        disabled={page.page <= 1}
        {...turning(page, page.page - 1)}
        aria-label={t('browse.previous')}
        data-testid="page-previous"
      >
        <IconChevronLeft size={16} aria-hidden />
      </ActionIcon>
      <TypedPage key={page.page} page={page} />
      <span className="number" data-testid="page-number">
        {page.pages === null ? t('browse.ofUnknown') : t('browse.ofPages', { pages: number(page.pages) })}
      </span>
      <ActionIcon
        variant="subtle"
        color="petrol"
        disabled={!more}
        {...turning(page, page.page + 1)}
        aria-label={t('browse.next')}
        data-testid="page-next"
      >
        <IconChevronRight size={16} aria-hidden />
      </ActionIcon>
    </span>
  );
}

/** Who comes to the button is about to press it: the page is asked for while they do. */
function turning(page: PageReading, to: number) {
  const prepare = () => page.prepare(to);
  return { onClick: () => page.turn(to), onPointerEnter: prepare, onPointerLeave: page.unprepare };
}

/** Enter turns to the page that was typed; one beyond the last means the last. */
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
