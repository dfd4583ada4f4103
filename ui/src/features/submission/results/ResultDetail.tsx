import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { Anchor, Button } from '@mantine/core';

import { useOperations, useSite } from '@/base/appState';
import { useOrdersOf } from '@/base/links/useOrderLists';
import { ResultMark } from '@/components/marks/StatusMarks';
import { StartProblem } from '@/components/notices/StartProblem';
import { DetailPanel } from '@/components/page/DetailPanel';
import { OrderLink } from '@/components/values/OrderLink';
import { type Decision, type ResultRow, type RowEvent, type SubmissionView, commands } from '@/ipc/bindings';
import { useNavigation } from '@/base/navigation';
import { usePreferences } from '@/base/preferences';
import { queryKeys } from '@/base/queryKeys';
import { useEventTitle } from '@/base/useEventTitle';
import { useFormats } from '@/base/useFormats';

import { SentFieldChange } from '../common/SentFieldChange';
import styles from '../common/submission.module.css';
import { useSubmissionControls } from '../common/useSubmission';
import { useLaterEvents } from './useLaterEvents';

/** The events of a row's order since it was sent, oldest first. */
function LaterEvents({ submission, row }: { submission: SubmissionView; row: ResultRow }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { data } = useLaterEvents(submission, row);
  if (!data) return null;
  const omittedCount = data.count - data.events.length;
  return (
    <section aria-labelledby="row-after" className={styles.after} data-testid="row-after">
      <h3 id="row-after">{t('after.title')}</h3>
      {data.count === 0 && <p className="muted small">{t('after.none')}</p>}
      {omittedCount > 0 && <p className="muted small">{t('after.earlier', { count: omittedCount, shown: number(omittedCount) })}</p>}
      <ol>
        {data.events.toReversed().map((event) => (
          <LaterEvent key={event.event} event={event} />
        ))}
      </ol>
    </section>
  );
}

function LaterEvent({ event }: { event: RowEvent }) {
  const { t } = useTranslation();
  const { timeOfDay, dateTime } = useFormats();
  const { go } = useNavigation();
  const title = useEventTitle();
  return (
    <li>
      <time className="number" dateTime={event.received} title={dateTime(event.received)}>
        {timeOfDay(event.received)}
      </time>
      <Anchor component="button" type="button" fz="inherit" onClick={() => go({ page: 'events', tab: 'list', event: event.event })}>
        {title(event)}
      </Anchor>
      {event.station && <span className="mono muted">{t('after.on', { station: event.station })}</span>}
    </li>
  );
}

/** The decision about one unconfirmed row. */
export function RowDecision({ id, row, done }: { id: number; row: ResultRow; done: () => void }) {
  const { t } = useTranslation();
  const { decide, busy, problem } = useSubmissionControls(id);
  const decideRow = (decision: Decision, skipClaimed = false) => {
    decide([{ sheet: row.sheet, row: row.row }], decision, skipClaimed, done);
  };
  return (
    <div className={styles.decide}>
      <Button size="xs" variant="default" disabled={busy} onClick={() => decideRow('arrived')} data-testid="row-arrived">
        {t('decide.arrived')}
      </Button>
      <Button size="xs" variant="default" disabled={busy} onClick={() => decideRow('send-again')} data-testid="row-again">
        {t('decide.again')}
      </Button>
      <StartProblem problem={problem} busy={busy} retry={() => decideRow('send-again')} skipClaimed={() => decideRow('send-again', true)} />
    </div>
  );
}

/** What sending the row changed, or should have changed. */
function RowValues({ submission, row }: { submission: SubmissionView; row: ResultRow }) {
  const { t } = useTranslation();
  const fields = useOperations().find((one) => one.id === submission.operation)?.request?.fields ?? [];
  const { data } = useQuery({
    queryKey: queryKeys.rowChanges(submission.id, row),
    queryFn: () => commands.submissionRowChanges(submission.id, { sheet: row.sheet, row: row.row }),
    retry: false,
  });
  if (!data || data.fields.length === 0) return null;
  return (
    <section aria-label={t('submission.values')} className={styles.rowValues} data-testid="row-values">
      <h3>{t('submission.values')}</h3>
      <ul className={styles.values}>
        {data.fields.map((field) => (
          <li key={field.field}>
            <SentFieldChange field={field} fields={fields} isNew={data.kind === 'new' || data.kind === 'unknown'} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** One row's result with the service's full message, and its values. */
export function ResultDetail({ submission, row, close }: { submission: SubmissionView; row: ResultRow; close: () => void }) {
  const { t } = useTranslation();
  const { technicalDetails } = usePreferences().preferences;
  const site = useSite()?.site.name;
  const ordersOf = useOrdersOf(submission.operation);
  // Links to orders are shown only for the selected site, because an order's page reads from it.
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
        {technicalDetails && row.batch !== null && (
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
      <RowValues submission={submission} row={row} />
      {row.result === 'unconfirmed' && submission.state !== 'running' && <RowDecision id={submission.id} row={row} done={close} />}
    </DetailPanel>
  );
}
