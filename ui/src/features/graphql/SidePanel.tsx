import { DocExplorer } from '@graphiql/plugin-doc-explorer';
import type { MouseEvent } from 'react';
import { useTranslation } from 'react-i18next';

import { DetailPanel } from '@/components/page/DetailPanel';
import { SavedQueries } from './editor/SavedQueries';
import styles from './common/graphql.module.css';

export type SidePanelName = 'docs' | 'kept';

/** What stands at the right: what the schema says, or what was asked before. */
export function SidePanel({ site, sheet, close }: { site: string; sheet: SidePanelName; close: () => void }) {
  const { t } = useTranslation();
  return (
    <DetailPanel title={t(`graphql.${sheet}`)} close={close}>
      {sheet === 'docs' ? (
        <div className={styles.docs} onClickCapture={stay} data-testid="graphql-explorer">
          <DocExplorer />
        </div>
      ) : (
        <SavedQueries site={site} />
      )}
    </DetailPanel>
  );
}

/** What a service writes about itself may hold addresses; nobody is led out of the window by one. */
function stay(event: MouseEvent): void {
  const link = (event.target as Element).closest('a');
  if (link && !link.getAttribute('href')?.startsWith('#')) event.preventDefault();
}
