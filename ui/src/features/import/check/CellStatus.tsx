import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { findingText } from '@/base/engineWords';
import { useFormats } from '@/base/useFormats';
import { ResultSign, SeveritySign } from '@/components/marks/StatusMarks';
import type { CellHelp, Finding, ImportView } from '@/ipc/bindings';
import type { FocusedCell } from './cellRange';
import type { Actions } from './useCellActions';
import styles from './check.module.css';
import fix from './fix.module.css';

type Props = { view: ImportView; focused: FocusedCell | null; shown: number; help: CellHelp; actions: Actions };

/** What the focused cell says, what will be sent for it, and what is wrong with it. */
export function CellStatus({ view, focused, shown, help, actions }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const all = view.rejectedRows || view.counts.rows;
  return (
    <footer className={styles.status}>
      <div className={styles.finding} role="status" data-testid="cell-status">
        {focused ? <Focused view={view} focused={focused} /> : <span className="muted">{t('check.choose')}</span>}
      </div>
      {focused && <Suggestions focused={focused} help={help} actions={actions} />}
      <span className="number muted" data-testid="rows-shown">
        {t('check.shown', { count: all, shown: number(shown), rows: number(all) })}
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
      {cell && cell.was !== null && (
        <span className="muted">{cell.was ? t('check.was', { value: cell.was }) : t('check.wasEmpty')}</span>
      )}
      {cell?.read && cell.read !== cell.shown && <span className="muted">{t('check.sentAs', { value: cell.read })}</span>}
      {focused.row.rejected.map((reason) => (
        <span key={reason} data-testid="rejected-reason">
          <ResultSign result="rejected" /> {t('check.rejected', { reason })}
        </span>
      ))}
      {findings.map((finding) => (
        <FindingLine key={`${finding.code}${finding.column ?? ''}${finding.field ?? ''}`} finding={finding} withColumn={!column} />
      ))}
    </>
  );
}

/** What the field would take instead; one click puts it in, here or wherever the same text stands. */
function Suggestions({ focused, help, actions }: { focused: FocusedCell; help: CellHelp; actions: Actions }) {
  const { t } = useTranslation();
  const { column, row } = focused;
  if (column === null || help.suggestions.length === 0) return null;
  const { replace } = actions;
  return (
    <span className={fix.chips}>
      {help.suggestions.map((value) => (
        <Button key={value} variant="default" size="compact-xs" onClick={() => actions.set(row.row, column, value)} data-testid={`suggestion-${value}`}>
          {t('fix.suggestion', { value })}
        </Button>
      ))}
      {help.alike > 1 && replace && help.suggestions[0] !== undefined && (
        <Button variant="subtle" size="compact-xs" onClick={() => replace(help.suggestions[0] ?? '')} data-testid="suggestion-all">
          {t('fix.suggestionAll', { value: help.suggestions[0], count: help.alike })}
        </Button>
      )}
    </span>
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
