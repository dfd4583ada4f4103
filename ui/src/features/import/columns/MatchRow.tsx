import { Button, Select } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useImport } from '@/features/import-session';
import { type ColumnView, commands, type FindingCode, type ImportView } from '@/ipc/bindings';
import { useFormats } from '@/base/useFormats';
import { SeveritySign } from '@/components/marks/StatusMarks';

import { fieldName } from '../common/fieldNames';
import { ColumnExtras } from './ColumnExtras';
import { ColumnFormat } from './ColumnFormat';
import { type Adding, ColumnMenu } from './ColumnMenu';
import styles from './columns.module.css';

/** Findings that can't be fixed by another value in the cell. */
const NOT_FIXABLE_BY_VALUE: ReadonlySet<FindingCode> = new Set(['required', 'duplicate-key', 'group-disagrees', 'not-before', 'formula-without-value']);

/** Opens the column's distinct values. The label counts cells that can't be sent. */
function ValuesButton({ view, column, open }: { view: ImportView; column: ColumnView; open: () => void }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const field = column.matched?.field;
  const facets = view.facets.filter(
    (facet) => facet.field === field && facet.severity === 'error' && !NOT_FIXABLE_BY_VALUE.has(facet.code),
  );
  const wrong = facets.reduce((sum, facet) => sum + facet.count, 0);
  const toFix = wrong > 0 ? t('columns.values.wrong', { count: wrong, shown: number(wrong) }) : undefined;
  return (
    <Button
      className={styles.seeValues}
      size="compact-xs"
      variant="subtle"
      onClick={open}
      title={toFix}
      leftSection={toFix ? <SeveritySign severity="error" /> : null}
      rightSection={toFix ? <span className="number">{number(wrong)}</span> : null}
      data-testid={`values-${column.letter}`}
    >
      {t('columns.values.see')}
      <span className="hidden"> {[column.heading || column.letter, toFix].filter(Boolean).join(': ')}</span>
    </Button>
  );
}

type Props = { view: ImportView; column: ColumnView; values: (field: string) => void };

/** A column with its field, and the reasons for the match. */
export function MatchRow({ view, column, values }: Props) {
  const { t, i18n } = useTranslation();
  const { apply } = useImport();
  const [adding, setAdding] = useState<Adding | null>(null);
  const heading = column.heading || t('columns.noHeading');
  const { matched } = column;
  const field = view.fields.find((one) => one.path === matched?.field);
  const provenance = field?.provenance;
  const hint = provenance === 'assumed' ? t('provenance.assumed') : provenance === 'site' ? t('provenance.site') : undefined;
  return (
    <div className={styles.row} role="row" data-matched={matched !== null} data-testid={`column-${column.letter}`}>
      <span role="cell" className={styles.heading}>
        <code className={styles.letter}>{column.letter}</code>
        <span>{heading}</span>
      </span>
      <span role="cell" className={styles.some}>
        <span className={styles.samples} title={column.samples.join(' · ')}>
          {column.samples.map((sample) => (
            <span key={sample}>{sample}</span>
          ))}
        </span>
        {field && <ValuesButton view={view} column={column} open={() => values(field.path)} />}
      </span>
      <span role="cell" className={styles.why}>
        {matched && <span className={styles.line} data-sure={matched.reason !== 'similar'} aria-hidden />}
        {matched ? t(`columns.reasons.${matched.reason}`) : column.candidates.length > 0 ? t('columns.maybe') : ''}
        <ColumnFormat id={view.id} column={column} />
      </span>
      <span role="cell" className={styles.field}>
        <span className={styles.choice}>
          <Select
            aria-label={t('columns.fieldFor', { column: heading })}
            placeholder={t('columns.notImported')}
            data={options(view, column, i18n.language, t('columns.suggested'), t('columns.others'))}
            value={matched?.field ?? null}
            onChange={(path) => void apply(commands.importMatch(view.id, column.index, path))}
            size="xs"
            classNames={{ input: field?.provenance === 'assumed' ? styles.assumed : undefined }}
            title={hint}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': t('columns.clear', { column: heading }) }}
            nothingFoundMessage={t('common.nothing')}
            maxDropdownHeight={320}
            data-testid={`match-${column.letter}`}
          />
          <ColumnMenu view={view} column={column} add={setAdding} values={values} />
        </span>
        <ColumnExtras view={view} column={column} adding={adding} done={() => setAdding(null)} />
      </span>
    </div>
  );
}

function options(view: ImportView, column: ColumnView, language: string, suggested: string, others: string) {
  const taken = new Map(view.columns.flatMap((one) => (one.matched ? [[one.matched.field, one.letter] as const] : [])));
  const item = (path: string) => {
    const field = view.fields.find((one) => one.path === path);
    const holder = taken.get(path);
    const by = holder && holder !== column.letter ? ` (${holder})` : '';
    return { value: path, label: `${fieldName(view.fields, path, language)}${field?.required ? ' *' : ''}${by}` };
  };
  const first = column.candidates.map((one) => one.field);
  const rest = view.fields.map((one) => one.path).filter((path) => !first.includes(path));
  return [
    ...(first.length > 0 ? [{ group: suggested, items: first.map(item) }] : []),
    { group: others, items: rest.map(item) },
  ];
}
