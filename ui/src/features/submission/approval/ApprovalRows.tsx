import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { operationName, useFormats } from '@/base/useFormats';
import { KindMark, KindSign, PREVIEW_KINDS } from '@/components/marks/KindMark';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type Field, type PreviewCounts, type PreviewRow, type SubmissionView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { SentFieldChange } from '../common/SentFieldChange';
import { usePlan } from '../common/usePlan';
import styles from './approval.module.css';

/** Number of rows per page. */
const PAGE_SIZE = 50;

/** The changes of each step, as the user who requested the approval saw them. */
export function ApprovalRows({ plan: id }: { plan: number }) {
  const { plan, problem } = usePlan(id);
  if (problem) return <ProblemNote problem={problem} />;
  const steps = plan?.submissions ?? [];
  return steps.map((step) => <StepRows key={step.id} step={step} named={steps.length > 1} />);
}

function StepRows({ step, named }: { step: SubmissionView; named: boolean }) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const operations = useOperations();
  const { data, error, hasNextPage, fetchNextPage, isFetching, refetch } = useInfiniteQuery({
    queryKey: queryKeys.approvalRows(step.id),
    queryFn: ({ pageParam }) => commands.approvalRows(step.id, pageParam, PAGE_SIZE),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
  });
  const [first] = data?.pages ?? [];
  const title = [step.sheet, operationName(operations, step.operation, name)].filter(Boolean).join(' · ');
  const fields = operations.find((one) => one.id === step.operation)?.request?.fields ?? [];
  return (
    <div className={styles.step} data-testid={`approval-step-${step.id}`}>
      {named && <h3>{title}</h3>}
      {error && <ProblemNote problem={toProblem(error)} retry={() => void refetch()} />}
      {first && <KindCounts counts={first.counts} />}
      {data && <RowTable title={title} rows={data.pages.flatMap(({ rows }) => rows)} fields={fields} />}
      {hasNextPage && (
        <div>
          <Button size="xs" variant="default" onClick={() => void fetchNextPage()} disabled={isFetching} data-testid="approval-more">
            {t('approval.more')}
          </Button>
        </div>
      )}
    </div>
  );
}

function KindCounts({ counts }: { counts: PreviewCounts }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  return (
    <p className={styles.counts} data-testid="approval-counts">
      {PREVIEW_KINDS
        .filter((kind) => counts[kind] > 0)
        .map((kind) => (
          <span key={kind}>
            <KindSign kind={kind} /> {t(`preview.kinds.${kind}`)} <b className="number">{number(counts[kind])}</b>
          </span>
        ))}
    </p>
  );
}

type TableProps = { title: string; rows: PreviewRow[]; fields: readonly Field[] };

function RowTable({ title, rows, fields }: TableProps) {
  const { t } = useTranslation();
  const label = `${t('preview.grid')}: ${title}`;
  return (
    <div className={styles.rows} role="group" aria-label={label} tabIndex={0}>
      <table aria-label={label} data-testid="approval-rows">
        <thead>
          <tr>
            <th scope="col">{t('preview.what')}</th>
            <th scope="col">{t('submission.row')}</th>
            <th scope="col">{t('submission.key')}</th>
            <th scope="col">{t('preview.changes')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.sheet}:${String(row.row)}:${row.key}`}>
              <td className={styles.short}>
                <KindMark kind={row.kind} />
              </td>
              <td className="number">{row.row}</td>
              <th scope="row" className="mono">
                {row.key}
              </th>
              <td>
                {row.fields.map((field) => (
                  <SentFieldChange key={field.field} field={field} fields={fields} isNew={row.kind === 'new'} />
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
