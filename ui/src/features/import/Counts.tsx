import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '../../app/useFormats';
import { SeveritySign } from '../../components/Mark';
import type { ImportCounts, RowFilter, Severity } from '../../ipc/bindings';
import { everything } from './filter';
import styles from './check.module.css';

type Props = { counts: ImportCounts; chosen: RowFilter; choose: (filter: RowFilter) => void };

/** How the rows stand; each number filters to its rows. */
export function Counts({ counts, chosen, choose }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const entry = (severity: Severity | null, name: string, count: number, testId: string) => (
    <UnstyledButton
      className={styles.count}
      aria-pressed={chosen.severity === severity && chosen.code === null}
      onClick={() => choose({ ...everything, severity })}
    >
      {severity && <SeveritySign severity={severity} />}
      <span>{name}</span>
      <b className="number" data-testid={testId}>
        {number(count)}
      </b>
    </UnstyledButton>
  );
  return (
    <div className={styles.counts} role="group" aria-label={t('check.counts')}>
      {entry(null, t('check.all'), counts.rows, 'counts-rows')}
      {entry('error', t('check.errorRows'), counts.error_rows, 'counts-errors')}
      {entry('warning', t('check.warningRows'), counts.warning_rows, 'counts-warnings')}
      <span className={styles.ready} role="status">
        {t('check.ready')}{' '}
        <b className="number" data-testid="counts-ready">
          {number(counts.ready_rows)}
        </b>
      </span>
    </div>
  );
}
