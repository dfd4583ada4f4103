import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { resultWord } from '@/base/engineWords';
import { useNavigation } from '@/base/navigation';
import { operationName, useFormats } from '@/base/useFormats';
import { ResultSign } from '@/components/marks/StatusMarks';
import { ProblemNote } from '@/components/notices/ProblemNote';
import type { OrderSubmission } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { LoadingLines } from './LoadingLines';
import { useOrderSubmissions } from './useOrder';
import styles from './order.module.css';

/** The submissions about the order: user, time, and results. */
export function SentSubmissions({ code }: { code: string }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { data, error, refetch } = useOrderSubmissions(code);
  return (
    <section aria-labelledby="order-sent" className={styles.section} data-testid="order-sent">
      <header className={styles.head}>
        <h2 id="order-sent">
          {t('order.sent')} {data && <span className="muted number">{number(data.length)}</span>}
        </h2>
      </header>
      {error ? (
        <ProblemNote problem={toProblem(error)} again={() => void refetch()} quiet />
      ) : !data ? (
        <LoadingLines lines={2} />
      ) : data.length === 0 ? (
        <p className="muted small">{t('order.neverSent')}</p>
      ) : (
        <ol className={styles.line}>
          {data.map((one) => (
            <One key={one.submission.id} one={one} />
          ))}
        </ol>
      )}
    </section>
  );
}

function One({ one: { submission, rows } }: { one: OrderSubmission }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const { name, moment } = useFormats();
  const operations = useOperations();
  return (
    <li>
      <time className="number">{moment(submission.started)}</time>
      <div className={styles.said}>
        <Anchor
          component="button"
          type="button"
          fz="inherit"
          onClick={() => go({ page: 'history', submission: submission.id })}
          data-testid={`order-submission-${submission.id}`}
        >
          {t('history.submission', { id: submission.id })}
        </Anchor>
        <span>{operationName(operations, submission.operation, name)}</span>
        <span>{submission.person}</span>
        {rows.map((row) => (
          <span key={`${row.sheet}·${row.row}`}>
            <ResultSign result={row.result} /> {resultWord(row.result)} <span className="mono">{row.key}</span>
          </span>
        ))}
      </div>
    </li>
  );
}
