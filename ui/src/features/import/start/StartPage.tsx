import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

import { useAppState, useSite } from '@/base/appState';
import { markUsable } from '@/base/window/startMark';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { PageFrame } from '@/components/page/PageFrame';
import { useImport } from '@/features/import-session';
import { commands } from '@/ipc/bindings';
import { DropArea } from './DropArea';
import { OpenWork } from './OpenWork';
import { RecentFiles } from './RecentFiles';
import { Samples } from './Samples';
import styles from './start.module.css';
import { useRecentFiles } from './useRecentFiles';

/** What a planner does next: work that was interrupted, another workbook, a recent one, and a sample where it is practice. */
export function StartPage() {
  const { t } = useTranslation();
  const { problem } = useImport();
  const files = useRecentFiles();
  const practice = usePractice();
  useEffect(markUsable, []);
  return (
    <PageFrame title={t('import.title')}>
      <div className={styles.home}>
        {problem && <ProblemNote problem={problem} />}
        <OpenWork drafts={files.filter((file) => file.draft !== null)} />
        <DropArea />
        <RecentFiles files={files.filter((file) => file.draft === null)} />
        <Samples away={practice.name === null ? null : practice.choose} />
      </div>
    </PageFrame>
  );
}

/** The practice plant, where the window is at another site: samples belong to it alone. */
function usePractice(): { name: string | null; choose: () => void } {
  const site = useSite();
  const { data } = useAppState();
  const practice = data?.sites.find((one) => one.site.kind === 'practice')?.site.name ?? null;
  const name = site === undefined || site.site.kind === 'practice' ? null : practice;
  return { name, choose: () => void (name !== null && commands.siteChoose(name).catch(showProblemNotice)) };
}
