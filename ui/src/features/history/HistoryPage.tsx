import { ActionIcon, SegmentedControl, Tooltip } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '@/base/navigation';
import { LinkButton } from '@/components/controls/LinkButton';
import { Results } from '@/features/submission';
import { commands } from '@/ipc/bindings';
import { AboutTab } from './AboutTab';
import { MoreMenu } from './MoreMenu';
import { RequestsTab } from './RequestsTab';
import { SubmissionList } from './SubmissionList';
import styles from './history.module.css';

const tabs = ['rows', 'requests', 'about'] as const;
type Tab = (typeof tabs)[number];

/** Every submission, by when; opened, what became of its rows, its requests, and what stands around it. */
export function HistoryPage({ submission }: { submission?: number | undefined }) {
  return submission === undefined ? <SubmissionList /> : <One key={submission} id={submission} />;
}

function One({ id }: { id: number }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const [tab, setTab] = useState<Tab>('rows');
  const title = t('history.submission', { id });
  const actions = (
    <>
      <SegmentedControl
        aria-label={t('history.tabs.name')}
        className={styles.tabs}
        data={tabs.map((value) => ({ value, label: t(`history.tabs.${value}`) }))}
        value={tab}
        onChange={(value) => setTab(tabs.find((one) => one === value) ?? 'rows')}
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
      <LinkButton link={() => commands.submissionLink(id)} />
      <MoreMenu id={id} />
    </>
  );
  if (tab === 'requests') return <RequestsTab id={id} title={title} actions={actions} />;
  if (tab === 'about') return <AboutTab id={id} title={title} actions={actions} />;
  return <Results id={id} title={title} actions={actions} />;
}
