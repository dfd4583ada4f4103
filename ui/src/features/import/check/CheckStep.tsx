import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { FindingKind, ImportView, RowFilter, RowSort } from '@/ipc/bindings';
import { CellStatus } from './CellStatus';
import { FindingFacets } from './FindingFacets';
import { MendAllPanel } from './MendAllPanel';
import { MendBar } from './MendBar';
import { type Place, MendMenu } from './MendMenu';
import { MergedCellsNote } from './MergedCellsNote';
import { RowCounts } from './RowCounts';
import { RowsGrid } from './RowsGrid';
import { SaveFindings } from './SaveFindings';
import type { FocusedCell, Range } from './cellRange';
import { everyRow } from './rowFilter';
import { useCellActions } from './useCellActions';
import { useCellHelp, useMending, useMendingKeys } from './useMending';
import styles from './check.module.css';

/** Every row with what is wrong or doubtful at its cells, and the means to mend it there. */
export function CheckStep({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<RowFilter>(() => everyRow(view));
  const [sort, setSort] = useState<RowSort | null>(null);
  const [text, setText] = useState('');
  const [sought] = useDebouncedValue(text.trim(), 250);
  const [focused, setFocused] = useState<FocusedCell | null>(null);
  const [range, setRange] = useState<Range | null>(null);
  const [menu, setMenu] = useState<Place | null>(null);
  const [kind, setKind] = useState<FindingKind | null>(null);
  const [total, setTotal] = useState(view.rejectedRows || view.counts.rows);
  const leave = useCallback(() => {
    setFocused(null);
    setRange(null);
  }, []);
  const choose = (next: RowFilter) => {
    // Another round: rows that were mended go where they belong now.
    setChosen((now) => ({ ...next, round: (now.round ?? 0) + 1 }));
    leave();
  };
  const order = useCallback((next: RowSort | null) => {
    setSort(next);
    leave();
  }, [leave]);
  const filter = useMemo(() => ({ ...chosen, text: sought || null, sort }), [chosen, sought, sort]);
  const mending = useMending(view);
  useMendingKeys(mending);
  const help = useCellHelp(view, focused);
  const actions = useCellActions({ view, filter, focused, range, mending, help });
  return (
    <div className={styles.outer}>
      <div className={styles.filter}>
        <RowCounts view={view} chosen={chosen} choose={choose} />
        <TextInput
          className={styles.search}
          leftSection={<IconSearch size={14} aria-hidden />}
          placeholder={t('check.search')}
          aria-label={t('check.search')}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            leave();
          }}
          size="xs"
          data-testid="check-search"
        />
        <SaveFindings view={view} />
      </div>
      <MendBar view={view} mending={mending} actions={actions} />
      <MergedCellsNote view={view} mending={mending} />
      {view.previouslyAccepted > 0 && (
        <p className={styles.previously} role="status" data-testid="previously-accepted">
          {t('check.previously', { count: view.previouslyAccepted })}
        </p>
      )}
      <div className={styles.middle}>
        <FindingFacets view={view} chosen={chosen} choose={choose} mendAll={setKind} />
        <RowsGrid
          view={view}
          filter={filter}
          range={range}
          actions={actions}
          onFocus={setFocused}
          onRange={setRange}
          onSort={order}
          onTotal={setTotal}
          onMenu={setMenu}
        />
        {kind && <MendAllPanel key={JSON.stringify(kind)} view={view} kind={kind} mending={mending} close={() => setKind(null)} />}
      </div>
      <CellStatus view={view} focused={focused} shown={total} help={help} actions={actions} />
      <MendMenu place={menu} actions={actions} close={() => setMenu(null)} />
    </div>
  );
}
