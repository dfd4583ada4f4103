import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { StoredAnswer } from '@/ipc/bindings';

/** The last query's outcome in one line. */
export function AnswerStatus({ answer, running }: { answer: StoredAnswer | null; running: boolean }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const list = answer?.lists[0];
  const status = answer && {
    milliseconds: number(answer.milliseconds),
    kilobytes: number(Math.ceil(answer.bytes / 1024)),
  };
  return (
    <span className="number" role="status" data-testid="graphql-status">
      {running && t('graphql.running')}
      {!running && status && t('graphql.answered', status)}
      {!running && list && ` · ${t('graphql.rows', { count: list.rows, rows: number(list.rows), path: list.path })}`}
      {!running && !status && t('graphql.keys')}
    </span>
  );
}
