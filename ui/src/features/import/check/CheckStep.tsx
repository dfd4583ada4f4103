import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { FindingKind, ImportView, RowFilter, RowSort } from '@/ipc/bindings';
import { CellStatus } from './CellStatus';
import { FindingFacets } from './FindingFacets';
import { FixAllPanel } from './FixAllPanel';
import { FixBar } from './FixBar';
import { FixMenu } from './FixMenu';
import { MergedCellsNote } from './MergedCellsNote';
import { RowCounts } from './RowCounts';
import { SaveFindings } from './SaveFindings';
import { RowsGrid } from './cells/RowsGrid';
import type { Place } from './cells/actions';
import type { FocusedCell, Range } from './cells/cellRange';
import { everyRow } from './rowFilter';
import { useCellActions } from './useCellActions';
import { useCellHelp, useFixes, useFixKeys } from './useFixes';
import styles from './check.module.css';

/** Every row with what is wrong or doubtful at its cells, and the means to fix it there. */
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
    // Another round: rows that were fixed go where they belong now.
    setChosen((now) => ({ ...next, round: (now.round ?? 0) + 1 }));
    leave();
  };
  const order = useCallback((next: RowSort | null) => {
    setSort(next);
    leave();
  }, [leave]);
  const filter = useMemo(() => ({ ...chosen, text: sought || null, sort }), [chosen, sought, sort]);
  const fixes = useFixes(view);
  useFixKeys(fixes);
  const help = useCellHelp(view, focused);
  const { actions, actionsOf } = useCellActions({ view, filter, focused, range, fixes, help });
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
      <FixBar view={view} fixes={fixes} actions={actions} />
      <MergedCellsNote view={view} fixes={fixes} />
      {view.previouslyAccepted > 0 && (
        <p className={styles.previously} role="status" data-testid="previously-accepted">
          {t('check.previously', { count: view.previouslyAccepted })}
        </p>
      )}
      <div className={styles.middle}>
        <FindingFacets view={view} chosen={chosen} choose={choose} fixAll={setKind} />
        <RowsGrid
          view={view}
          filter={filter}
          focused={focused}
          range={range}
          help={help}
          actions={actions}
          actionsOf={actionsOf}
          onFocus={setFocused}
          onRange={setRange}
          onSort={order}
          onTotal={setTotal}
          onMenu={setMenu}
        />
        {kind && <FixAllPanel key={JSON.stringify(kind)} view={view} kind={kind} fixes={fixes} close={() => setKind(null)} />}
      </div>
      <CellStatus view={view} focused={focused} shown={total} />
      <FixMenu place={menu} actions={actions} close={() => setMenu(null)} />
    </div>
  );
}
