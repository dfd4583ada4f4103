import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { useNavigation } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { operationName, useFormats } from '@/base/useFormats';
import { CopyButton } from '@/components/controls/CopyButton';
import { SiteLabel } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { PageFrame } from '@/components/page/PageFrame';
import { ApprovalPanel, HeadlineText, useSubmission } from '@/features/submission';
import { type SubmissionView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { ResultCounts } from './ResultCounts';
import { useRelation } from './useRelation';
import styles from './history.module.css';

type Props = { id: number; title: string; actions: ReactNode };

/** A submission's context: user, time, file, mapping and related submissions. */
export function AboutTab({ id, title, actions }: Props) {
  const { submission, problem } = useSubmission(id);
  const { data, error } = useQuery({ queryKey: queryKeys.submissionContext(id), queryFn: () => commands.historyContext(id) });
  return (
    <PageFrame title={title} action={actions}>
      {problem && <ProblemNote problem={problem} />}
      {error && <ProblemNote problem={toProblem(error)} />}
      <div className={styles.about} data-testid="history-about">
        {submission && <HeadlineText submission={submission} />}
        {submission && <ApprovalPanel submission={submission} />}
        {submission && <SubmissionFacts submission={submission} />}
        {data && data.chain.length > 1 && <RelatedSubmissions chain={data.chain} id={id} />}
        {data?.mapping && <MappingSection text={data.mapping} />}
      </div>
    </PageFrame>
  );
}

function SubmissionFacts({ submission }: { submission: SubmissionView }) {
  const { t } = useTranslation();
  const { dateTime, number, duration, name } = useFormats();
  const operations = useOperations();
  return (
    <dl className={styles.facts}>
      <dt>{t('history.person')}</dt>
      <dd>{submission.person || t('history.unknownPerson')}</dd>
      <dt>{t('history.when')}</dt>
      <dd className="number">
        {submission.ended
          ? t('history.span', { from: dateTime(submission.started), to: dateTime(submission.ended) })
          : dateTime(submission.started)}
      </dd>
      <dt>{t('history.site')}</dt>
      <dd>
        <SiteLabel name={submission.site} />
      </dd>
      <dt>{t('history.operation')}</dt>
      <dd>{operationName(operations, submission.operation, name)}</dd>
      {submission.file && (
        <>
          <dt>{t('history.file')}</dt>
          <dd>
            {submission.file} · {submission.sheet}
          </dd>
          <dt>{t('history.hash')}</dt>
          <dd className={styles.hash}>
            <code>{submission.hash}</code> <CopyButton value={submission.hash} label={t('history.copyHash')} />
          </dd>
        </>
      )}
      {submission.purged && (
        <>
          <dt>{t('history.purged')}</dt>
          <dd data-testid="history-purged">{t('history.purgedOn', { at: dateTime(submission.purged) })}</dd>
        </>
      )}
      <dt>{t('history.results')}</dt>
      <dd>
        <ResultCounts counts={submission.counts} />
      </dd>
      <dt>{t('history.requests')}</dt>
      <dd className="number">
        {t('submission.took', { count: submission.requests, time: duration(submission.seconds ?? 0), requests: number(submission.requests) })}
      </dd>
    </dl>
  );
}

function RelatedSubmissions({ chain, id }: { chain: SubmissionView[]; id: number }) {
  const { t } = useTranslation();
  const { dateTime } = useFormats();
  const relation = useRelation();
  const { go } = useNavigation();
  return (
    <section aria-labelledby="chain">
      <h2 id="chain">{t('history.chain')}</h2>
      <ol className={styles.chain} data-testid="history-chain">
        {chain.map((one) => (
          <li key={one.id} aria-current={one.id === id ? 'true' : undefined}>
            <button
              type="button"
              className={styles.open}
              disabled={one.id === id}
              onClick={() => go({ page: 'history', submission: one.id })}
            >
              {t('history.submission', { id: one.id })}
            </button>
            <span className="number muted">{dateTime(one.started)}</span>
            <span>{relation(one) || one.file}</span>
            <ResultCounts counts={one.counts} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function MappingSection({ text }: { text: string }) {
  const { t } = useTranslation();
  return (
    <section className={styles.text} aria-labelledby="mapping">
      <h2 id="mapping">
        {t('history.mapping')} <CopyButton value={text} label={t('history.copyMapping')} />
      </h2>
      <pre tabIndex={0} data-testid="history-mapping">
        {text}
      </pre>
    </section>
  );
}
