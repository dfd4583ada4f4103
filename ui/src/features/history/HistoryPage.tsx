import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconArrowLeft } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '../../app/navigation';
import { keys } from '../../app/state';
import { useFormats } from '../../app/useFormats';
import { PageFrame } from '../../components/PageFrame';
import { ProblemNote } from '../../components/ProblemNote';
import { commands } from '../../ipc/bindings';
import { toProblem } from '../../ipc/problem';
import { Results } from '../submission/Results';
import { HistoryGrid } from './HistoryGrid';
import styles from './history.module.css';

/** Every submission, by when; opened, what became of its rows. */
export function HistoryPage({ submission }: { submission?: number | undefined }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  if (submission === undefined) return <All />;
  return (
    <Results
      id={submission}
      title={t('history.submission', { id: submission })}
      actions={
        <Button
          variant="default"
          leftSection={<IconArrowLeft size={16} aria-hidden />}
          onClick={() => go({ page: 'history' })}
          data-testid="back"
        >
          {t('history.back')}
        </Button>
      }
    />
  );
}

function All() {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { go } = useNavigation();
  const { data, error } = useQuery({ queryKey: keys.submissions, queryFn: () => commands.submissionList() });
  if (data?.length === 0) {
    return (
      <PageFrame title={t('history.title')}>
        <div className={styles.empty}>
          <p>{t('history.empty')}</p>
          <Button onClick={() => go({ page: 'import' })}>{t('history.toImport')}</Button>
        </div>
      </PageFrame>
    );
  }
  return (
    <PageFrame
      title={t('history.title')}
      status={data && <span className="number">{t('history.count', { count: data.length, shown: number(data.length) })}</span>}
      edge
    >
      {error && <ProblemNote problem={toProblem(error)} />}
      {data && <HistoryGrid submissions={data} open={(id) => go({ page: 'history', submission: id })} />}
    </PageFrame>
  );
}
