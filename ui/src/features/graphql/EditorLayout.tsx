import { useGraphiQL, useMonaco } from '@graphiql/react';
import { useEffect, useState } from 'react';

import type { TabProps } from '@/base/navigation';
import { PageFrame } from '@/components/page/PageFrame';
import { SchemaLine } from './SchemaLine';
import { SidePanel, type SidePanelName } from './SidePanel';
import { Toolbar } from './Toolbar';
import { AnswerPane } from './answer/AnswerPane';
import { AnswerStatus } from './answer/AnswerStatus';
import type { QueryOutcome } from './common/fetcher';
import type { SchemaReading } from './common/useSchema';
import { QueryEditors } from './editor/QueryEditors';
import { QueryTabs } from './editor/QueryTabs';
import { RunButton } from './editor/RunButton';
import { useEditorTheme } from './editor/useEditorTheme';
import styles from './common/graphql.module.css';

type Props = { site: string; frame: TabProps; reading: SchemaReading; outcomes: Record<string, QueryOutcome>; inFront: (tab: string) => void };

/** The page around the editor: what is asked at the left, what came of it beside it, and what helps at the right. */
export function EditorLayout({ site, frame, reading, outcomes: told, inFront }: Props) {
  const [sheet, setSheet] = useState<SidePanelName | null>('docs');
  const ready = useMonaco((state) => Boolean(state.monaco));
  const tab = useGraphiQL((state) => state.tabs[state.activeTabIndex]?.id ?? '');
  useEffect(() => inFront(tab), [inFront, tab]);
  useEditorTheme();
  const current = told[tab] ?? nothing;
  return (
    <PageFrame
      title={frame.title}
      aside={<SchemaLine reading={reading} />}
      action={
        <>
          <RunButton />
          {frame.actions}
        </>
      }
      filter={
        <>
          <QueryTabs />
          <Toolbar site={site} sheet={sheet} setSheet={setSheet} />
        </>
      }
      status={<AnswerStatus answer={current.answer} />}
      edge
    >
      <div className={styles.main} data-sheet={sheet !== null} data-ready={ready} data-testid="graphql-main">
        <QueryEditors />
        <AnswerPane outcome={current} />
        {sheet && <SidePanel site={site} sheet={sheet} close={() => setSheet(null)} />}
      </div>
    </PageFrame>
  );
}

const nothing: QueryOutcome = { answer: null, problem: null };
