import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';

import { useSite } from '@/base/appState';
import { useOrdersOf } from '@/base/links/useOrderLists';
import { ResultMark } from '@/components/marks/StatusMarks';
import { DetailPanel } from '@/components/page/DetailPanel';
import { OrderLink } from '@/components/values/OrderLink';
import type { ResultRow, SubmissionView } from '@/ipc/bindings';
import { RowDecision } from '../decisions/RowDecision';
import { LaterEvents } from './LaterEvents';
import styles from '../common/submission.module.css';

/** One row's result with the service's words in full. */
export function ResultDetail({ submission, row, close }: { submission: SubmissionView; row: ResultRow; close: () => void }) {
  const { t } = useTranslation();
  const site = useSite()?.site.name;
  const ordersOf = useOrdersOf(submission.operation);
  // An order's page is read at the chosen site.
  const orders = submission.site === site ? ordersOf(row.key) : [];
  return (
    <DetailPanel title={t('submission.rowTitle', { sheet: row.sheet, row: row.row })} close={close}>
      <dl className={styles.facts}>
        <dt>{t('submission.result')}</dt>
        <dd>
          <ResultMark result={row.result} />
        </dd>
        <dt>{t('submission.key')}</dt>
        <dd>
          <code>{row.key}</code>
        </dd>
        {orders.map((code) => (
          <Fragment key={code}>
            <dt>{t('order.one')}</dt>
            <dd>
              <OrderLink code={code} />
            </dd>
          </Fragment>
        ))}
        {row.batch !== null && (
          <>
            <dt>{t('submission.batchColumn')}</dt>
            <dd className="number">{row.batch}</dd>
          </>
        )}
      </dl>
      <LaterEvents submission={submission} row={row} />
      {row.reasons.map((reason) => (
        <blockquote key={reason} className={styles.quote}>
          {reason}
        </blockquote>
      ))}
      {row.result === 'unconfirmed' && submission.state !== 'running' && <RowDecision id={submission.id} row={row} done={close} />}
    </DetailPanel>
  );
}
