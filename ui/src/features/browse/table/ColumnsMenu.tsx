import { Button, Checkbox, Popover, SegmentedControl } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import type { GridApi } from 'ag-grid-community';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';

import { type TableRow, isSpan } from '@/base/values/cells';
import type { SpanForm } from '@/ipc/bindings';
import type { TableColumn } from './columns';
import type { Table } from './useTable';
import styles from './table.module.css';

type Props = { table: Table; columns: readonly TableColumn[]; api: GridApi<TableRow> | null };

/** Selects the visible columns and the format of time spans. */
export const ColumnsMenu = memo(function ColumnsMenu({ table, columns, api }: Props) {
  const { t } = useTranslation();
  const { view } = table;
  const hidden = new Set(view.columns.filter((look) => look.hidden).map(({ path }) => path));
  const inOrder = [...columns].toSorted((a, b) => place(view.columns, a.path) - place(view.columns, b.path));
  return (
    <Popover position="bottom-end" trapFocus returnFocus shadow="md" width={300}>
      <Popover.Target>
        <Button variant="default" size="xs" leftSection={<IconColumns3 size={14} aria-hidden />} data-testid="columns">
          {hidden.size === 0 ? t('table.columns') : t('table.columnsSome', { shown: columns.length - hidden.size, of: columns.length })}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={styles.popover} aria-label={t('table.columns')} data-testid="columns-list">
        <div className={styles.popoverHead}>
          <Button size="compact-xs" variant="subtle" onClick={() => api?.setColumnsVisible(columns.map(({ path }) => path), true)} data-testid="columns-all">
            {t('table.showAll')}
          </Button>
          <Button size="compact-xs" variant="subtle" onClick={() => table.choose(null)} data-testid="columns-reset">
            {t('table.reset')}
          </Button>
        </div>
        <div className={styles.values} role="group" aria-label={t('table.columns')}>
          {inOrder.map(({ path, label }) => (
            <Checkbox
              key={path}
              size="xs"
              label={label}
              checked={!hidden.has(path)}
              onChange={(event) => api?.setColumnsVisible([path], event.currentTarget.checked)}
              data-testid={`show-${path}`}
            />
          ))}
        </div>
        {columns.some(({ field }) => isSpan(field)) && (
          <div className={styles.spans}>
            <span className="muted small">{t('table.spans')}</span>
            <SegmentedControl
              fullWidth
              size="xs"
              aria-label={t('table.spans')}
              value={view.spans}
              onChange={(spans) => table.change({ spans: spans as SpanForm })}
              data={(['words', 'clock', 'ticks'] as const).map((value) => ({ value, label: t(`table.span.${value}`) }))}
              data-testid="spans"
            />
          </div>
        )}
      </Popover.Dropdown>
    </Popover>
  );
});

function place(looks: Table['view']['columns'], path: string): number {
  const index = looks.findIndex((look) => look.path === path);
  return index < 0 ? looks.length : index;
}
