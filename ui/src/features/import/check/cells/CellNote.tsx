import { Button } from '@mantine/core';
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { findingText } from '@/base/engineTexts';
import { ResultSign, SeveritySign } from '@/components/marks/StatusMarks';
import type { CellHelp, Finding, ImportView } from '@/ipc/bindings';
import type { Actions } from './actions';
import type { FocusedCell } from './cellRange';
import styles from './cells.module.css';

type Props = {
  view: ImportView;
  focused: FocusedCell | null;
  help: CellHelp;
  actions: Actions;
  /** The grid's element. */
  gridContainer: RefObject<HTMLElement | null>;
  close: () => void;
  /** Moves the focus back to the cell. */
  focusCell: () => void;
};

/** A note at the focused cell with its findings and suggestions. */
export function CellNote({ view, focused, help, actions, gridContainer, close, focusCell }: Props) {
  const { t } = useTranslation();
  const note = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<{ left: number; top: number } | null>(null);
  const column = view.columns.find((one) => one.index === focused?.column);
  const findings = focused?.row.findings.filter((one) => !column || one.column === column.letter || one.column === null) ?? [];
  const rejected = focused?.row.rejected ?? [];
  const isShown = findings.length + rejected.length > 0;
  useLayoutEffect(() => {
    const align = () => {
      const next = isShown && note.current ? notePosition(gridContainer.current, note.current) : null;
      setAt((now) => (now?.left === next?.left && now?.top === next?.top ? now : next));
    };
    align();
    // The grid moves the focus and renders scrolled rows one frame later.
    const later = requestAnimationFrame(align);
    if (!isShown) return () => cancelAnimationFrame(later);
    const { current: grid } = gridContainer;
    window.addEventListener('resize', align);
    grid?.addEventListener('scroll', align, true);
    return () => {
      cancelAnimationFrame(later);
      window.removeEventListener('resize', align);
      grid?.removeEventListener('scroll', align, true);
    };
  });
  useEffect(() => {
    const { current } = note;
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      focusCell();
      close();
    };
    current?.addEventListener('keydown', press);
    return () => current?.removeEventListener('keydown', press);
  }, [close, focusCell]);
  return (
    <div
      ref={note}
      className={isShown ? styles.reasons : 'hidden'}
      style={at ? { left: at.left, top: at.top } : { visibility: 'hidden' }}
      role="status"
      aria-label={t('check.reason')}
      data-testid="cell-note"
    >
      {rejected.map((reason) => (
        <span key={reason} data-testid="rejected-reason">
          <ResultSign result="rejected" /> {t('check.rejected', { reason })}
        </span>
      ))}
      {findings.map((finding) => (
        <FindingLine key={`${finding.code}${finding.column ?? ''}${finding.field ?? ''}`} finding={finding} withColumn={!column} />
      ))}
      {isShown && focused && focused.column !== null && (
        <Suggestions row={focused.row.row} column={focused.column} help={help} actions={actions} leave={focusCell} />
      )}
    </div>
  );
}

type SuggestionsProps = { row: number; column: number; help: CellHelp; actions: Actions; leave: () => void };

/** Suggested values. A click applies a suggestion to this cell, or to all cells with the same text. */
function Suggestions({ row, column, help, actions, leave }: SuggestionsProps) {
  const { t } = useTranslation();
  const [first] = help.suggestions;
  if (first === undefined) return null;
  const { replace } = actions;
  return (
    <span className={styles.chips}>
      {help.suggestions.map((value) => (
        <Button
          key={value}
          variant="default"
          size="compact-xs"
          onClick={() => {
            leave();
            actions.setCell(row, column, value);
          }}
          data-testid={`suggestion-${value}`}
        >
          {t('fix.suggestion', { value })}
        </Button>
      ))}
      {help.alike > 1 && replace && (
        <Button
          variant="subtle"
          size="compact-xs"
          onClick={() => {
            leave();
            replace(first);
          }}
          data-testid="suggestion-all"
        >
          {t('fix.suggestionAll', { value: first, count: help.alike })}
        </Button>
      )}
    </span>
  );
}

function FindingLine({ finding, withColumn }: { finding: Finding; withColumn: boolean }) {
  return (
    <span>
      <SeveritySign severity={finding.severity} withLabel /> {withColumn && finding.column && <code>{finding.column} </code>}
      {findingText(finding)}
    </span>
  );
}

const NOTE_MARGIN = 6;

/**
 * Returns a position for the note: right of the cell if there is room, else left, below or above it. The cell's column stays
 * visible if possible. Null if the cell isn't visible.
 */
function notePosition(gridElement: HTMLElement | null, note: HTMLElement): { left: number; top: number } | null {
  const cell = gridElement?.querySelector('.ag-cell-focus')?.getBoundingClientRect();
  const rows = gridElement?.querySelector('.ag-grid-viewport, .ag-body-viewport')?.getBoundingClientRect();
  if (!cell || !rows || cell.bottom <= rows.top || cell.top >= rows.bottom || cell.right <= rows.left || cell.left >= rows.right) return null;
  const { offsetWidth: width, offsetHeight: height } = note;
  const [right, bottom] = [window.innerWidth - NOTE_MARGIN, window.innerHeight - NOTE_MARGIN];
  const level = Math.max(NOTE_MARGIN, Math.min(cell.top, bottom - height));
  if (cell.right + NOTE_MARGIN + width <= right) return { left: cell.right + NOTE_MARGIN, top: level };
  if (cell.left - NOTE_MARGIN - width >= NOTE_MARGIN) return { left: cell.left - NOTE_MARGIN - width, top: level };
  const left = Math.max(NOTE_MARGIN, Math.min(cell.left, right - width));
  return { left, top: cell.bottom + NOTE_MARGIN + height <= bottom ? cell.bottom + NOTE_MARGIN : Math.max(NOTE_MARGIN, cell.top - NOTE_MARGIN - height) };
}
