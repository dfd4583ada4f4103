import { ActionIcon, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconChevronDown, IconChevronUp, IconSearch, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { type CellPlace, type FoundCells, type ImportView, type RowFilter, commands } from '@/ipc/bindings';
import styles from './cells.module.css';

type Props = {
  view: ImportView;
  filter: RowFilter;
  /** Returns the cell at which the search begins. */
  startCell: () => CellPlace | null;
  show: (place: CellPlace) => void;
  close: () => void;
};

/** Searches the visible rows for a text, cell by cell. */
export function FindBar({ view, filter, startCell, show, close }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const [text, setText] = useState('');
  const [debouncedText] = useDebouncedValue(text, 200);
  const [found, setFound] = useState<(FoundCells & { text: string }) | null>(null);
  const [at, setAt] = useState(-1);
  const bar = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const latest = useRef({ from: startCell, show, close });
  useEffect(() => {
    latest.current = { from: startCell, show, close };
  }, [startCell, show, close]);
  useEffect(() => {
    const { current } = bar;
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      latest.current.close();
    };
    field.current?.focus();
    current?.addEventListener('keydown', press);
    return () => current?.removeEventListener('keydown', press);
  }, []);
  useEffect(() => {
    let isCurrent = true;
    if (debouncedText === '') return undefined;
    commands.importFindCells(view.id, filter, debouncedText).then(
      (cells) => {
        if (!isCurrent) return;
        setFound({ ...cells, text: debouncedText });
        const start = latest.current.from();
        const next = cells.cells.findIndex((one) => !start || one.index > start.index || (one.index === start.index && one.column >= start.column));
        const first = cells.cells.length > 0 ? Math.max(next, 0) : -1;
        setAt(first);
        const place = cells.cells[first];
        if (place) latest.current.show(place);
      },
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [view, filter, debouncedText]);
  const cells = debouncedText !== '' && found?.text === debouncedText ? found.cells : [];
  const goToMatch = (step: 1 | -1) => {
    if (cells.length === 0) return;
    const next = (at + step + cells.length) % cells.length;
    setAt(next);
    const place = cells[next];
    if (place) show(place);
  };
  const count = number(cells.length) + (found?.more ? '+' : '');
  return (
    <div
      ref={bar}
      className={styles.find}
      role="search"
      aria-label={t('check.find')}
    >
      <TextInput
        className={styles.sought}
        size="xs"
        leftSection={<IconSearch size={14} aria-hidden />}
        aria-label={t('check.findText')}
        placeholder={t('check.findText')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          goToMatch(event.shiftKey ? -1 : 1);
        }}
        ref={field}
        data-testid="find-text"
      />
      <ActionIcon variant="subtle" size={28} aria-label={t('check.findPrevious')} disabled={cells.length === 0} onClick={() => goToMatch(-1)} data-testid="find-previous">
        <IconChevronUp size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon variant="subtle" size={28} aria-label={t('check.findNext')} disabled={cells.length === 0} onClick={() => goToMatch(1)} data-testid="find-next">
        <IconChevronDown size={16} aria-hidden />
      </ActionIcon>
      <span className={styles.place} role="status" data-testid="find-count">
        {debouncedText === '' || found?.text !== debouncedText ? '' : cells.length === 0 ? t('check.findNone') : t('check.findAt', { at: number(at + 1), count: cells.length, all: count })}
      </span>
      <ActionIcon variant="subtle" size={28} ml="auto" aria-label={t('common.close')} onClick={close} data-testid="find-close">
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </div>
  );
}
