import { Button } from '@mantine/core';
import { useGraphiQLActions } from '@graphiql/react';
import { IconBook2, IconBookmark, IconHistory, IconTextWrap } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { SidePanelName } from './SidePanel';
import { SaveQuery } from './editor/SaveQuery';
import styles from './common/graphql.module.css';

type Props = { site: string; sheet: SidePanelName | null; setSheet: (sheet: SidePanelName | null) => void };

/** What can be done with the query, and what stands beside it. */
export function Toolbar({ site, sheet, setSheet }: Props) {
  const { t } = useTranslation();
  const { prettifyEditors } = useGraphiQLActions();
  const [saving, setSaving] = useState(false);
  const side = (name: SidePanelName, Icon: typeof IconBook2) => (
    <Button
      size="xs"
      variant={sheet === name ? 'light' : 'subtle'}
      aria-pressed={sheet === name}
      leftSection={<Icon size={16} aria-hidden />}
      onClick={() => setSheet(sheet === name ? null : name)}
      data-testid={`graphql-${name}`}
    >
      {t(`graphql.${name}`)}
    </Button>
  );
  return (
    <div className={styles.tools}>
      <Button
        size="xs"
        variant="subtle"
        title={t('graphql.prettifyKeys')}
        leftSection={<IconTextWrap size={16} aria-hidden />}
        onClick={() => void prettifyEditors()}
        data-testid="graphql-prettify"
      >
        {t('graphql.prettify')}
      </Button>
      <Button
        size="xs"
        variant="subtle"
        leftSection={<IconBookmark size={16} aria-hidden />}
        onClick={() => setSaving(true)}
        data-testid="graphql-save"
      >
        {t('graphql.save')}
      </Button>
      {side('kept', IconHistory)}
      {side('docs', IconBook2)}
      {saving && <SaveQuery site={site} close={() => setSaving(false)} />}
    </div>
  );
}
