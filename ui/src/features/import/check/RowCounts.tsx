import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { SeveritySign } from '@/components/marks/StatusMarks';
import type { ImportView, RowFilter, RowState, Severity } from '@/ipc/bindings';
import { initialRowFilter } from './rowFilter';
import styles from '../common/counts.module.css';
import checkStyles from './check.module.css';

type Props = { view: ImportView; chosen: RowFilter; choose: (filter: RowFilter) => void };

/** The number of rows per state. Each number filters the grid. */
export function RowCounts({ view, chosen, choose }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { counts } = view;
  // Rows that weren't rejected are excluded from a retry.
  const about = view.rejectedRows > 0;
  const all = initialRowFilter(view);
  const entry = (severity: Severity | null, name: string, count: number, testId: string) => (
    <UnstyledButton
      className={styles.count}
      aria-pressed={chosen.severity === severity && chosen.code === null && chosen.state === all.state}
      onClick={() => choose({ ...all, severity })}
    >
      {severity && <SeveritySign severity={severity} />}
      <span>{name}</span>
      <b className="number" data-testid={testId}>
        {number(count)}
      </b>
    </UnstyledButton>
  );
  const state = (which: RowState, name: string, count: number) => (
    <UnstyledButton
      className={styles.count}
      aria-pressed={chosen.state === which}
      onClick={() => choose(chosen.state === which ? all : { ...all, state: which })}
    >
      <span>{name}</span>
      <b className="number" data-testid={`counts-${which}`}>
        {number(count)}
      </b>
    </UnstyledButton>
  );
  return (
    <div className={styles.counts} role="group" aria-label={t('check.counts')}>
      {entry(null, about ? t('check.rejectedRows') : t('check.all'), about ? view.rejectedRows : counts.rows, about ? 'counts-rejected' : 'counts-rows')}
      {entry('error', t('check.errorRows'), counts.errorRows, 'counts-errors')}
      {entry('warning', t('check.warningRows'), counts.warningRows, 'counts-warnings')}
      {(view.editedRows > 0 || chosen.state === 'edited') && state('edited', t('check.editedRows'), view.editedRows)}
      {!about && (counts.excluded > 0 || chosen.state === 'excluded') && state('excluded', t('check.excludedRows'), counts.excluded)}
      <span className={checkStyles.ready} role="status">
        {t('check.ready')}{' '}
        <b className="number" data-testid="counts-ready">
          {number(counts.readyRows)}
        </b>
      </span>
    </div>
  );
}
