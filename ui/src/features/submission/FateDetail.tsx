import { useTranslation } from 'react-i18next';

import { DetailPanel } from '../../components/DetailPanel';
import { FateMark } from '../../components/Mark';
import type { FateRow, SubmissionView } from '../../ipc/bindings';
import { DecideRow } from './DecideRow';
import styles from './submission.module.css';

/** One row's fate with the service's words in full. */
export function FateDetail({ submission, row, close }: { submission: SubmissionView; row: FateRow; close: () => void }) {
  const { t } = useTranslation();
  return (
    <DetailPanel title={t('submission.rowTitle', { sheet: row.sheet, row: row.row })} close={close}>
      <dl className={styles.facts}>
        <dt>{t('submission.fate')}</dt>
        <dd>
          <FateMark fate={row.fate} />
        </dd>
        <dt>{t('submission.key')}</dt>
        <dd>
          <code>{row.key}</code>
        </dd>
        {row.batch !== null && (
          <>
            <dt>{t('submission.batchColumn')}</dt>
            <dd className="number">{row.batch}</dd>
          </>
        )}
      </dl>
      {row.reasons.map((reason) => (
        <blockquote key={reason} className={styles.quote}>
          {reason}
        </blockquote>
      ))}
      {row.fate === 'inDoubt' && submission.state !== 'running' && <DecideRow id={submission.id} row={row} done={close} />}
    </DetailPanel>
  );
}
