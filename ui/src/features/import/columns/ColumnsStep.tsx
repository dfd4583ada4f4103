import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { SeveritySign } from '@/components/marks/StatusMarks';
import { useImport } from '@/features/import-session';
import { type ColumnView, type ContestedField, type ImportView, commands } from '@/ipc/bindings';
import { fieldName } from '../common/fieldNames';
import { TextDoubts } from '../file/TextDoubts';
import { ConstantForm } from './ConstantForm';
import { MappingNotes } from './MappingNotes';
import { MatchRow } from './MatchRow';
import { MissingFields } from './MissingFields';
import { ValuesPanel } from './ValuesPanel';
import fileStyles from '../file/file.module.css';
import styles from './columns.module.css';

/** Fields that several columns match, with a choice: duplicate headings, or two names of one field. */
function ContestedFields({ view }: { view: ImportView }) {
  if (view.contested.length === 0) return null;
  return (
    <div className={fileStyles.doubts}>
      {view.contested.map((contested) => (
        <Contested key={contested.field} view={view} contested={contested} />
      ))}
    </div>
  );
}

function Contested({ view, contested: { field, columns } }: { view: ImportView; contested: ContestedField }) {
  const { t, i18n } = useTranslation();
  const { apply, busy } = useImport();
  // The column keeps the other fields that it fills.
  const choose = (index: number) => {
    const column = view.columns.find((one) => one.index === index);
    const filled = column?.matched ? [column.matched.field, ...column.also] : [];
    const fields = filled.includes(field) ? filled : [...filled, field];
    void apply(commands.importChange(view.id, { change: 'fields', column: index, fields }));
  };
  return (
    <section className={fileStyles.doubt} role="status" data-testid={`contested-${field}`}>
      <p>
        <SeveritySign severity="error" /> {t('columns.contested', { field: fieldName(view.fields, field, i18n.language) })}
      </p>
      <div className={fileStyles.choices}>
        {view.columns
          .filter((column) => columns.includes(column.index))
          .map((column) => (
            <Button
              key={column.index}
              size="xs"
              variant="default"
              disabled={busy}
              title={column.samples.join(' · ')}
              onClick={() => choose(column.index)}
              data-testid={`use-${column.letter}`}
            >
              {t('columns.useColumn', { column: `${column.letter} · ${column.heading}` })}
            </Button>
          ))}
      </div>
    </section>
  );
}

type Group = 'unsure' | 'matched' | 'left';

/** Groups columns by the certainty of their match, in file order within each group. */
export function groupColumns(columns: readonly ColumnView[]): { group: Group; columns: number[] }[] {
  const order: Group[] = ['unsure', 'matched', 'left'];
  return order.map((group) => ({
    group,
    // Columns that Takt added to an earlier export have no field.
    columns: columns.filter((column) => !column.own && groupOf(column) === group).map((column) => column.index),
  }));
}

/** Returns the first `most` columns of the groups, with each group's full count. Empty groups are dropped. */
export function limitGroups(
  groups: readonly { group: Group; columns: number[] }[],
  most: number,
): { group: Group; columns: number[]; total: number }[] {
  return groups
    .map(({ group, columns }, at) => {
      const before = groups.slice(0, at).reduce((sum, one) => sum + one.columns.length, 0);
      return { group, columns: columns.slice(0, Math.max(0, most - before)), total: columns.length };
    })
    .filter(({ columns }) => columns.length > 0);
}

function groupOf(column: ColumnView): Group {
  if (column.format && column.format.choice === null) return 'unsure';
  if (column.matched) return column.matched.reason === 'similar' ? 'unsure' : 'matched';
  return column.candidates.length > 0 ? 'unsure' : 'left';
}

const INITIAL_ROWS = 150;

/** The columns step: matches columns to fields. Uncertain matches come first. */
export function ColumnsStep({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  // The order is fixed when the step opens, so that rows don't move under the pointer.
  const [groups] = useState(() => groupColumns(view.columns));
  const [all, setAll] = useState(false);
  const [values, setValues] = useState<string | null>(null);
  const now = new Map(view.columns.map((column) => [column.index, column]));
  const matched = view.columns.filter((column) => column.matched).length;
  const own = view.columns.filter((column) => !column.own).length;
  return (
    <div className={styles.middle}>
      <div className={styles.outer} tabIndex={-1}>
        <TextDoubts view={view} />
        <MappingNotes view={view} />
        <ContestedFields view={view} />
        {view.missing.length > 0 && <MissingFields view={view} />}
        <p className="hidden" role="status">
          {t('columns.count', { count: own, matched: number(matched), columns: number(own) })}
        </p>
        <div className={view.columns.length > INITIAL_ROWS ? `${styles.table} ${styles.many}` : styles.table} role="table" aria-label={t('columns.table')}>
          <div className={styles.headings} role="row">
            <span role="columnheader">{t('columns.column')}</span>
            <span role="columnheader">{t('columns.samples')}</span>
            <span role="columnheader">{t('columns.why')}</span>
            <span role="columnheader">{t('columns.field')}</span>
          </div>
          {limitGroups(groups, all ? Infinity : INITIAL_ROWS).map(({ group, columns, total }) => (
            <div key={group} role="rowgroup" aria-label={t(`columns.groups.${group}`)}>
              <GroupTitle group={group} count={total} />
              {columns.map((index) => {
                const column = now.get(index);
                return column ? <MatchRow key={index} view={view} column={column} values={setValues} /> : null;
              })}
            </div>
          ))}
        </div>
        <ConstantForm view={view} />
        {view.columns.length > INITIAL_ROWS && !all && (
          <Button variant="default" size="xs" onClick={() => setAll(true)}>
            {t('columns.showAll', { count: view.columns.length })}
          </Button>
        )}
      </div>
      {values && <ValuesPanel key={values} view={view} field={values} close={() => setValues(null)} />}
    </div>
  );
}

function GroupTitle({ group, count }: { group: Group; count: number }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  return (
    <div className={styles.group} role="row">
      <span role="cell">
        {group === 'unsure' && <SeveritySign severity="warning" />} {t(`columns.groups.${group}`)}{' '}
        <span className="muted number">{number(count)}</span>
      </span>
    </div>
  );
}
