import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { CopyButton } from '@/components/controls/CopyButton';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { DetailPanel } from '@/components/page/DetailPanel';
import { type SentRequest, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import styles from './history.module.css';

type Props = { id: number; request: SentRequest; close: () => void };

/** A request's body and the beginning of its response. */
export function RequestDetail({ id, request, close }: Props) {
  const { t } = useTranslation();
  const { moment } = useFormats();
  const { data, error } = useQuery({
    queryKey: queryKeys.requestBody(id, request.number),
    queryFn: () => commands.submissionRequestBody(id, request.number),
    staleTime: Infinity,
  });
  return (
    <DetailPanel title={t('history.requestTitle', { number: request.number })} close={close}>
      <dl className={styles.facts}>
        <dt>{t('history.when')}</dt>
        <dd className="number">{moment(request.started)}</dd>
        {request.logId && (
          <>
            <dt>{t('history.logId')}</dt>
            <dd>
              <code>{request.logId}</code> <CopyButton value={request.logId} label={t('problem.copyLogId')} />
            </dd>
          </>
        )}
      </dl>
      {error && <ProblemNote problem={toProblem(error)} />}
      {request.answer && (
        <section className={styles.text}>
          <h3>{t('history.answer')}</h3>
          <pre tabIndex={0} data-testid="request-answer">
            {formatJson(request.answer)}
          </pre>
        </section>
      )}
      {data && (
        <section className={styles.text}>
          <h3>
            <code>{data.method}</code> <code>{data.path}</code> <CopyButton value={data.body} label={t('history.copyBody')} />
          </h3>
          {!data.exact && <p className="muted small">{t('history.notExact')}</p>}
          {data.body.length < data.characters && <p className="muted small">{t('history.cut')}</p>}
          <pre tabIndex={0} data-testid="request-body">
            {formatJson(data.body)}
          </pre>
        </section>
      )}
    </DetailPanel>
  );
}

/** Formats JSON. Other or truncated text stays unchanged. */
function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
