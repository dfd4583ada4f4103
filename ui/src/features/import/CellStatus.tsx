import { useTranslation } from 'react-i18next';

import { findingText } from '../../app/engineWords';
import { useFormats } from '../../app/useFormats';
import { SeveritySign } from '../../components/Mark';
import type { Finding, GridRow, ImportView } from '../../ipc/bindings';
import styles from './check.module.css';

/** A cell, or the whole row where `column` is null. */
export type FocusedCell = { row: GridRow; column: number | null };

type Props = { view: ImportView; focused: FocusedCell | null; shown: number };

/** What the focused cell says, what will be sent for it, and what is wrong with it. */
export function CellStatus({ view, focused, shown }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  return (
    <footer className={styles.status}>
      <div className={styles.finding} role="status" data-testid="cell-status">
        {focused ? <Focused view={view} focused={focused} /> : <span className="muted">{t('check.choose')}</span>}
      </div>
      <span className="number muted" data-testid="rows-shown">
        {t('check.shown', { shown: number(shown), rows: number(view.counts.rows) })}
      </span>
    </footer>
  );
}

function Focused({ view, focused }: { view: ImportView; focused: FocusedCell }) {
  const { t } = useTranslation();
  const column = view.columns.find((one) => one.index === focused.column);
  const cell = column && focused.row.cells[column.index];
  const findings = focused.row.findings.filter((one) => !column || one.column === column.letter || one.column === null);
  return (
    <>
      <code>
        {column?.letter ?? ''}
        {focused.row.row}
      </code>
      {cell?.read && cell.read !== cell.shown && <span className="muted">{t('check.sentAs', { value: cell.read })}</span>}
      {findings.map((finding) => (
        <FindingLine key={`${finding.code}${finding.column ?? ''}${finding.field ?? ''}`} finding={finding} withColumn={!column} />
      ))}
    </>
  );
}

function FindingLine({ finding, withColumn }: { finding: Finding; withColumn: boolean }) {
  return (
    <span>
      <SeveritySign severity={finding.severity} named /> {withColumn && finding.column && <code>{finding.column} </code>}
      {findingText(finding)}
    </span>
  );
}
