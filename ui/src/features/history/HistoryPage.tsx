import { ActionIcon, Menu, SegmentedControl, Tooltip } from '@mantine/core';
import { IconArrowLeft, IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from '@tanstack/react-query';

import { useNavigation } from '@/base/navigation';
import { CopyLinkButton } from '@/components/controls/CopyLinkButton';
import { Results, useSubmission } from '@/features/submission';
import { commands } from '@/ipc/bindings';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { useImport } from '@/features/import-session';

import { AboutTab } from './AboutTab';
import { RequestsTab } from './RequestsTab';
import { SubmissionList } from './SubmissionList';
import styles from './history.module.css';

/** Rarely used actions for a submission. */
function MoreMenu({ id }: { id: number }) {
  const { t } = useTranslation();
  const { submission } = useSubmission(id);
  const { runAgain } = useImport();
  const file = submission?.file ?? '';
  const saveResults = useMutation({
    mutationFn: () => {
      const name = t('submission.saveName', { name: file.replace(/\.[^.]+$/u, '') });
      return commands.submissionSaveResults(id, t('history.pickSent', { file }), t('import.pickFilter'), t('submission.saveTitle'), name);
    },
    onSuccess: (saved) => showSavedNotice(saved?.path ?? null),
    onError: showProblemNotice,
  });
  const bundle = useMutation({
    mutationFn: () => commands.bundleSave([id], false, t('bundle.saveTitle'), t('bundle.saveName')),
    onSuccess: (path) => showSavedNotice(path),
    onError: showProblemNotice,
  });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={t('history.more')} data-testid="history-more">
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => saveResults.mutate()} disabled={!file} data-testid="history-return">
          {t('history.intoSent')}
        </Menu.Item>
        <Menu.Item onClick={() => submission && void runAgain(submission)} disabled={!file} data-testid="run-again">
          {t('decide.runAgain')}
        </Menu.Item>
        <Menu.Item onClick={() => bundle.mutate()} data-testid="history-bundle">
          {t('bundle.open')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const TABS = ['rows', 'requests', 'about'] as const;
type Tab = (typeof TABS)[number];

/** The list of submissions, or one submission with its rows, requests and context. */
export function HistoryPage({ submission }: { submission?: number | undefined }) {
  return submission === undefined ? <SubmissionList /> : <SubmissionPage key={submission} id={submission} />;
}

function SubmissionPage({ id }: { id: number }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const [tab, setTab] = useState<Tab>('rows');
  const title = t('history.submission', { id });
  const actions = (
    <>
      <SegmentedControl
        aria-label={t('history.tabs.name')}
        className={styles.tabs}
        data={TABS.map((value) => ({ value, label: t(`history.tabs.${value}`) }))}
        value={tab}
        onChange={(value) => setTab(TABS.find((one) => one === value) ?? 'rows')}
        data-testid="history-tabs"
      />
      <Tooltip label={t('history.back')}>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={t('history.back')}
          onClick={() => go({ page: 'history' })}
          data-testid="back"
        >
          <IconArrowLeft size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <CopyLinkButton link={() => commands.submissionLink(id)} />
      <MoreMenu id={id} />
    </>
  );
  if (tab === 'requests') return <RequestsTab id={id} title={title} actions={actions} />;
  if (tab === 'about') return <AboutTab id={id} title={title} actions={actions} />;
  return <Results id={id} title={title} actions={actions} />;
}
