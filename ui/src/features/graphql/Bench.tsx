import { useGraphiQL, useMonaco } from '@graphiql/react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { PageFrame } from '@/components/page/PageFrame';
import { AnswerPane } from './AnswerPane';
import { AnswerStatus } from './AnswerStatus';
import { Editors } from './Editors';
import { QueryTabs } from './QueryTabs';
import { RunButton } from './RunButton';
import { SchemaLine } from './SchemaLine';
import { Sheet, type SheetName } from './Sheet';
import { Tools } from './Tools';
import type { Told } from './asking';
import { useEditorLook } from './useEditorLook';
import type { SchemaReading } from './useSchema';
import styles from './graphql.module.css';

type Props = { site: string; reading: SchemaReading; told: Record<string, Told>; inFront: (tab: string) => void };

/** The page around the editor: what is asked at the left, what came of it beside it, and what helps at the right. */
export function Bench({ site, reading, told, inFront }: Props) {
  const { t } = useTranslation();
  const [sheet, setSheet] = useState<SheetName | null>('docs');
  const ready = useMonaco((state) => Boolean(state.monaco));
  const tab = useGraphiQL((state) => state.tabs[state.activeTabIndex]?.id ?? '');
  useEffect(() => inFront(tab), [inFront, tab]);
  useEditorLook();
  const current = told[tab] ?? nothing;
  return (
    <PageFrame
      title={t('pages.graphql')}
      aside={<SchemaLine reading={reading} />}
      action={<RunButton />}
      filter={
        <>
          <QueryTabs />
          <Tools site={site} sheet={sheet} setSheet={setSheet} />
        </>
      }
      status={<AnswerStatus answer={current.answer} />}
      edge
    >
      <div className={styles.main} data-sheet={sheet !== null} data-ready={ready} data-testid="graphql-main">
        <Editors />
        <AnswerPane told={current} />
        {sheet && <Sheet site={site} sheet={sheet} close={() => setSheet(null)} />}
      </div>
    </PageFrame>
  );
}

const nothing: Told = { answer: null, problem: null };
