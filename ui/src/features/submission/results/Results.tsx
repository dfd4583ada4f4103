import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { operationName, useFormats } from '@/base/useFormats';
import { SiteLabel } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { PageFrame } from '@/components/page/PageFrame';
import { type RowResult, type ResultRow, type SubmissionView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { Totals } from '../common/Totals';
import { useSubmission } from '../common/useSubmission';
import { Decisions } from '../decisions/Decisions';
import { WaitingRows } from '../decisions/WaitingRows';
import { BatchStrip } from '../progress/BatchStrip';
import { RunControls } from '../progress/RunControls';
import { ResultDetail } from './ResultDetail';
import { ResultGrid } from './ResultGrid';
import { NotBegunFilter } from './NotBegunFilter';
import { RehearsedRows } from './RehearsedRows';
import { RowSearch } from './RowSearch';
import styles from '../common/submission.module.css';

type Props = {
  id: number;
  title: string;
  /** The import that it was made of, where that is still open: results then go into a copy of the planner's workbook. */
  workbook?: number | undefined;
  actions?: ReactNode;
  before?: ReactNode;
};

/** What became of every row of a submission. */
export function Results({ id, title, workbook, actions, before }: Props) {
  const { submission, problem } = useSubmission(id);
  if (problem) {
    return (
      <PageFrame title={title} action={actions}>
        <ProblemNote problem={problem} />
      </PageFrame>
    );
  }
  return submission ? (
    <Shown submission={submission} title={title} workbook={workbook} actions={actions} before={before} />
  ) : null;
}

function Shown({ submission, title, workbook, actions, before }: Omit<Props, 'id'> & { submission: SubmissionView }) {
  const { t } = useTranslation();
  const { name, moment } = useFormats();
  const operations = useOperations();
  const [result, setResult] = useState<RowResult | null>(null);
  const [find, setFind] = useState('');
  const [notBegun, setNotBegun] = useState(false);
  const [row, setRow] = useState<ResultRow | null>(null);
  const saved = useExport(submission, workbook ?? null);
  const { counts } = submission;
  return (
    <PageFrame
      title={title}
      aside={
        <>
          {before}
          <span>{operationName(operations, submission.operation, name)}</span>
          <SiteLabel name={submission.site} />
          {submission.file && <span>{submission.file}</span>}
          <span className="number">{moment(submission.started)}</span>
          {submission.person && <span>{submission.person}</span>}
        </>
      }
      action={
        <>
          {actions}
          <Button onClick={() => saved.mutate()} disabled={saved.isPending} data-testid="save-results">
            {t('submission.save')}
          </Button>
        </>
      }
      filter={
        <>
          <Totals
            counts={counts}
            total={submission.total}
            chosen={result}
            choose={(next) => {
              setResult(next);
              setNotBegun(false);
              setRow(null);
            }}
          />
          <NotBegunFilter
            submission={submission}
            chosen={notBegun}
            choose={(next) => {
              setNotBegun(next);
              setResult(null);
              setRow(null);
            }}
          />
          <RowSearch find={find} setFind={setFind} />
          <Decisions submission={submission} />
        </>
      }
      edge
    >
      <div className={styles.results} data-testid="results" data-state={submission.state}>
        <div className={styles.top}>
          {submission.state === 'finished' ? null : <RunControls submission={submission} />}
          {submission.problem && <ProblemNote problem={submission.problem} />}
          <WaitingRows submission={submission} />
          <RehearsedRows submission={submission} />
          {saved.error && <ProblemNote problem={toProblem(saved.error)} />}
          {submission.recent.length > 0 && <BatchStrip submission={submission} />}
        </div>
        <div className={styles.rows}>
          <ResultGrid submission={submission} result={result} find={find} notBegun={notBegun} onRow={setRow} />
          {row && <ResultDetail submission={submission} row={row} close={() => setRow(null)} />}
        </div>
      </div>
    </PageFrame>
  );
}

function useExport(submission: SubmissionView, workbook: number | null) {
  const { t } = useTranslation();
  return useMutation({
    mutationFn: () => {
      const stem = submission.file.replace(/\.[^.]+$/u, '') || submission.operation;
      const name = t('submission.saveName', { name: stem });
      return commands.submissionExport(submission.id, workbook, t('submission.saveTitle'), name);
    },
    onSuccess: (path) => {
      if (path) notifications.show({ message: t('common.savedTo', { path }), closeButtonProps: { 'aria-label': t('common.close') } });
    },
  });
}
