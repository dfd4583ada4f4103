import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { ImportView, RowFilter } from '../../ipc/bindings';
import { CellStatus, type FocusedCell } from './CellStatus';
import { Counts } from './Counts';
import { Facets } from './Facets';
import { RowsGrid } from './RowsGrid';
import { everything } from './filter';
import styles from './check.module.css';

/** Every row with what is wrong or doubtful at its cells. */
export function CheckStep({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<RowFilter>(everything);
  const [text, setText] = useState('');
  const [sought] = useDebouncedValue(text.trim(), 250);
  const [focused, setFocused] = useState<FocusedCell | null>(null);
  const [total, setTotal] = useState(view.counts.rows);
  const choose = (next: RowFilter) => {
    setChosen(next);
    setFocused(null);
  };
  const filter = useMemo(() => ({ ...chosen, text: sought || null }), [chosen, sought]);
  return (
    <div className={styles.outer}>
      <div className={styles.filter}>
        <Counts counts={view.counts} chosen={chosen} choose={choose} />
        <TextInput
          className={styles.search}
          leftSection={<IconSearch size={14} aria-hidden />}
          placeholder={t('check.search')}
          aria-label={t('check.search')}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setFocused(null);
          }}
          size="xs"
          data-testid="check-search"
        />
      </div>
      <div className={styles.middle}>
        <Facets view={view} chosen={chosen} choose={choose} />
        <RowsGrid view={view} filter={filter} onFocus={setFocused} onTotal={setTotal} />
      </div>
      <CellStatus view={view} focused={focused} shown={total} />
    </div>
  );
}
