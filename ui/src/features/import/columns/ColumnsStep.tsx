import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { SeveritySign } from '@/components/marks/StatusMarks';
import type { ImportView } from '@/ipc/bindings';
import { TextDoubts } from '../file/TextDoubts';
import { ConstantForm } from './ConstantForm';
import { ContestedFields } from './ContestedFields';
import { MappingNotes } from './MappingNotes';
import { MatchRow } from './MatchRow';
import { MissingFields } from './MissingFields';
import { ValuesPanel } from './ValuesPanel';
import { type Group, groupColumns, limitGroups } from './columnGroups';
import styles from './columns.module.css';

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
