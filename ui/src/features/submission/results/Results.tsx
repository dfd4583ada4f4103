import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from '@tanstack/react-query';
import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';

import { useOperations } from '@/base/appState';
import { operationName, useFormats } from '@/base/useFormats';
import { SiteLabel } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { PageFrame } from '@/components/page/PageFrame';
import { commands, type ResultRow, type RowResult, type SubmissionView } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { showSavedNotice } from '@/components/notices/savedNotice';

import { ApprovalPanel } from '../approval/ApprovalPanel';
import { isBlocked } from '../common/approval';
import { HeadlineText } from '../common/HeadlineText';
import { Totals } from '../common/Totals';
import { useSubmission } from '../common/useSubmission';
import { Decisions } from '../decisions/Decisions';
import { DeletedWorkbook } from '../decisions/DeletedWorkbook';
import { WaitingRows } from '../decisions/WaitingRows';
import { BatchStrip } from '../progress/BatchStrip';
import { RunControls } from '../progress/RunControls';
import { ResultDetail } from './ResultDetail';
import { ResultGrid } from './ResultGrid';
import { NotBegunFilter } from './NotBegunFilter';
import { RehearsedRows } from './RehearsedRows';
import styles from '../common/submission.module.css';
import own from './results.module.css';

/** Debounce for the search, in milliseconds. */
const SEARCH_DELAY = 250;

/** Finds rows by key, reason or number. */
function RowSearch({ find, setFind }: { find: string; setFind: (text: string) => void }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(find);
  const settle = useDebouncedCallback(setFind, SEARCH_DELAY);
  return (
    <TextInput
      className={styles.find}
      size="xs"
      aria-label={t('submission.find')}
      placeholder={t('submission.find')}
      leftSection={<IconSearch size={14} aria-hidden />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        settle(event.currentTarget.value);
      }}
      data-testid="find-row"
    />
  );
}

/** Saves the results of all rows, in a copy of the workbook if that is still open. */
function useExport(submission: SubmissionView, workbook: number | null) {
  const { t } = useTranslation();
  return useMutation({
    mutationFn: () => {
      const stem = submission.file.replace(/\.[^.]+$/u, '') || submission.operation;
      const name = t('submission.saveName', { name: stem });
      return commands.submissionExport(submission.id, workbook, t('submission.saveTitle'), name);
    },
    onSuccess: showSavedNotice,
  });
}

type Props = {
  id: number;
  title: string;
  /** The submission's import if it is still open. Results are then saved in a copy of its workbook. */
  workbook?: number | undefined;
  actions?: ReactNode;
  /** Leaves the import for another file, undefined if there is no import. */
  leave?: (() => void) | undefined;
};

/** The results of all rows of a submission. */
export function Results({ id, title, workbook, actions, leave }: Props) {
  const { submission, problem } = useSubmission(id);
  if (problem) {
    return (
      <PageFrame title={title} action={actions}>
        <ProblemNote problem={problem} />
      </PageFrame>
    );
  }
  return submission ? (
    <Shown submission={submission} title={title} workbook={workbook} actions={actions} leave={leave} />
  ) : null;
}

function Shown({ submission, title, workbook, actions, leave }: Omit<Props, 'id'> & { submission: SubmissionView }) {
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
          <span>{operationName(operations, submission.operation, name)}</span>
          <SiteLabel name={submission.site} />
          {submission.file && <span>{submission.file}</span>}
          <span className="number">{moment(submission.started)}</span>
          {submission.person && <span>{submission.person}</span>}
        </>
      }
      action={actions}
      edge
    >
      <div className={styles.results} data-testid="results" data-state={submission.state}>
        <div className={styles.top}>
          <HeadlineText submission={submission} />
          <ApprovalPanel submission={submission} />
          {submission.state === 'finished' || isBlocked(submission) ? null : <RunControls submission={submission} />}
          {submission.problem && <ProblemNote problem={submission.problem} />}
          <WaitingRows submission={submission} />
          <div className={own.actions} role="group" aria-label={t('headline.next')}>
            <Decisions submission={submission} leave={leave} save={() => saved.mutate()} saving={saved.isPending} />
          </div>
          <DeletedWorkbook submission={submission} />
          <RehearsedRows submission={submission} />
          {saved.error && <ProblemNote problem={toProblem(saved.error)} />}
          {submission.recent.length > 1 && <BatchStrip submission={submission} />}
          <div className={own.totals}>
            <Totals
              counts={counts}
              total={submission.total}
              moving={submission.state === 'running'}
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
          </div>
        </div>
        <div className={styles.rows}>
          <ResultGrid submission={submission} result={result} find={find} notBegun={notBegun} onRow={setRow} />
          {row && <ResultDetail submission={submission} row={row} close={() => setRow(null)} />}
        </div>
      </div>
    </PageFrame>
  );
}
