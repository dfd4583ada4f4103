import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Button, UnstyledButton } from '@mantine/core';

import { useOperations } from '@/base/appState';
import { usePreferences } from '@/base/preferences';
import { queryKeys } from '@/base/queryKeys';
import { operationName, useFormats } from '@/base/useFormats';
import { SearchInput } from '@/components/controls/SearchInput';
import { SiteLabel } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { StartProblem } from '@/components/notices/StartProblem';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { PageFrame } from '@/components/page/PageFrame';
import { commands, type ResultRow, type RowResult, type SubmissionView } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { showSavedNotice } from '@/components/notices/savedNotice';

import { ApprovalPanel } from '../approval/ApprovalPanel';
import { isBlocked } from '../common/approval';
import { HeadlineText } from '../common/HeadlineText';
import { Totals } from '../common/Totals';
import { useSubmissionControls, useSubmission } from '../common/useSubmission';
import { Decisions } from '../decisions/Decisions';
import { BatchStrip } from '../progress/BatchStrip';
import { RunControls } from '../progress/RunControls';
import { ResultDetail } from './ResultDetail';
import { ResultGrid } from './ResultGrid';
import { RehearsedRows } from './RehearsedRows';
import { useNotBegun } from './useLaterEvents';
import styles from '../common/submission.module.css';
import own from './results.module.css';

/** Saves the results of all rows. If the workbook is still open, they are saved in a copy of it. */
function useSaveResults(submission: SubmissionView, workbook: number | null) {
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
  /** The ID of the submission's import, if it is still open. Results are then saved in a copy of its workbook. */
  workbook?: number | undefined;
  actions?: ReactNode;
  /** Closes the import, so that another file can be opened. Undefined if there is no import. */
  leave?: (() => void) | undefined;
};

/** The results of a submission, with its state, its next actions, and all rows. */
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
    <ResultsContent submission={submission} title={title} workbook={workbook} actions={actions} leave={leave} />
  ) : null;
}

/** Shows that deleted rows can't be restored. Offers a workbook with their values. */
function DeletedWorkbook({ submission }: { submission: SubmissionView }) {
  const { t } = useTranslation();
  const { id, counts, state } = submission;
  const deletes = useOperations().some((operation) => operation.id === submission.operation && operation.kind === 'delete');
  const enabled = deletes && counts.accepted > 0 && state !== 'running';
  const workbook = useQuery({ queryKey: queryKeys.deletedWorkbook(id, counts.accepted), queryFn: () => commands.deletedWorkbook(id), enabled, retry: false });
  const file = workbook.data?.file ?? '';
  const open = useMutation({ mutationFn: () => commands.deletedOpen(file), onError: showProblemNotice });
  const save = useMutation({ mutationFn: () => commands.deletedSave(file, t('deleted.saveTitle')), onSuccess: (path) => showSavedNotice(path), onError: showProblemNotice });
  if (!enabled || workbook.isPending) return null;
  if (workbook.error) return <ProblemNote problem={toProblem(workbook.error)} />;
  if (!workbook.data) return <p data-testid="no-restore">{t('decide.noWorkbook')}</p>;
  return (
    <div className={styles.deleted} data-testid="no-restore">
      <span>{t('decide.noRestore', { count: counts.accepted })}</span>
      <code>{workbook.data.path}</code>
      <Button size="compact-xs" variant="default" onClick={() => open.mutate()} data-testid="deleted-open">
        {t('deleted.open')}
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => save.mutate()} data-testid="deleted-save">
        {t('deleted.save')}
      </Button>
    </div>
  );
}

/** Shows that rows wait for other rows that weren't accepted. You can retry or skip them. */
function WaitingRows({ submission }: { submission: SubmissionView }) {
  const { t } = useTranslation();
  const { resume, skipWaiting, busy, problem } = useSubmissionControls(submission.id);
  if (submission.waiting === 0 || submission.state === 'running' || isBlocked(submission)) return null;
  return (
    <div className={styles.waiting} data-testid="waiting">
      <span>{t('plan.waitingRows', { count: submission.waiting })}</span>
      <Button size="xs" onClick={() => resume(false)} disabled={busy} data-testid="waiting-again">
        {t('submission.goOn')}
      </Button>
      <SiteLabel name={submission.site} />
      <Button
        size="xs"
        variant="default"
        onClick={skipWaiting}
        disabled={busy}
        data-testid="waiting-skip"
      >
        {t('plan.skipWaiting')}
      </Button>
      <StartProblem problem={problem} busy={busy} retry={() => resume(false)} skipClaimed={() => resume(true)} />
    </div>
  );
}

type NotBegunFilterProps = { submission: SubmissionView; chosen: boolean; choose: (chosen: boolean) => void };

/** A filter for accepted rows whose order hasn't started after sending. It isn't a warning, because that is normal at first. */
function NotBegunFilter({ submission, chosen, choose }: NotBegunFilterProps) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const count = useNotBegun(submission);
  if (!count && !chosen) return null;
  return (
    <UnstyledButton
      className={own.note}
      aria-pressed={chosen}
      title={t('after.notBegunHint')}
      onClick={() => choose(!chosen)}
      data-testid="filter-not-begun"
    >
      <span className="number">{number(count ?? 0)}</span> {t('after.notBegun')}
    </UnstyledButton>
  );
}

function ResultsContent({ submission, title, workbook, actions, leave }: Omit<Props, 'id'> & { submission: SubmissionView }) {
  const { t } = useTranslation();
  const { name, dateTime } = useFormats();
  const operations = useOperations();
  const { preferences } = usePreferences();
  const [result, setResult] = useState<RowResult | null>(null);
  const [find, setFind] = useState('');
  const [notBegun, setNotBegun] = useState(false);
  const [row, setRow] = useState<ResultRow | null>(null);
  const saveResults = useSaveResults(submission, workbook ?? null);
  const { counts } = submission;
  return (
    <PageFrame
      title={title}
      subtitle={
        <>
          <span>{operationName(operations, submission.operation, name)}</span>
          <SiteLabel name={submission.site} />
          {submission.file && <span>{submission.file}</span>}
          <span className="number">{dateTime(submission.started)}</span>
          {submission.person && <span>{submission.person}</span>}
        </>
      }
      action={actions}
      isFullWidth
    >
      <div className={styles.results} data-testid="results" data-state={submission.state}>
        <div className={styles.top}>
          <HeadlineText submission={submission} />
          <ApprovalPanel submission={submission} />
          {submission.state === 'finished' || isBlocked(submission) ? null : <RunControls submission={submission} />}
          {submission.plantGone && <p data-testid="plant-gone">{t('submission.plantGone')}</p>}
          {submission.problem && <ProblemNote problem={submission.problem} />}
          <WaitingRows submission={submission} />
          <div className={own.actions} role="group" aria-label={t('headline.next')}>
            <Decisions submission={submission} leave={leave} save={() => saveResults.mutate()} saving={saveResults.isPending} />
          </div>
          <DeletedWorkbook submission={submission} />
          <RehearsedRows submission={submission} />
          {saveResults.error && <ProblemNote problem={toProblem(saveResults.error)} />}
          {preferences.technicalDetails && submission.recent.length > 1 && <BatchStrip submission={submission} />}
          <div className={own.totals}>
            <Totals
              counts={counts}
              total={submission.total}
              isSending={submission.state === 'running'}
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
            <SearchInput label={t('submission.find')} text={find} onSearch={setFind} testId="find-row" />
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
