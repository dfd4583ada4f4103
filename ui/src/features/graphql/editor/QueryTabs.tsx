import { ActionIcon, UnstyledButton } from '@mantine/core';
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import styles from '../common/graphql.module.css';

const most = 20;

/** Several queries at hand; each keeps its own answer. */
export function QueryTabs() {
  const { t } = useTranslation();
  const { addTab, changeTab, closeTab } = useGraphiQLActions();
  const tabs = useGraphiQL((state) => state.tabs);
  const active = useGraphiQL((state) => state.activeTabIndex);
  // GraphiQL's own word for a query without a name.
  const titled = (title: string) => (title.startsWith('<') ? t('graphql.untitled') : title);
  return (
    <div className={styles.tabs} role="group" aria-label={t('graphql.tabs')}>
      {tabs.map(({ id, title }, at) => (
        <span key={id} className={styles.tab} data-active={at === active}>
          <UnstyledButton
            className={styles.tabName}
            aria-current={at === active ? 'true' : undefined}
            onClick={() => at !== active && changeTab(at)}
            data-testid={`graphql-tab-${at}`}
          >
            {titled(title)}
          </UnstyledButton>
          {tabs.length > 1 && (
            <ActionIcon
              size="xs"
              variant="subtle"
              color="gray"
              aria-label={t('graphql.closeTab', { name: titled(title) })}
              onClick={() => closeTab(at)}
            >
              <IconX size={12} aria-hidden />
            </ActionIcon>
          )}
        </span>
      ))}
      <ActionIcon
        size="sm"
        variant="subtle"
        onClick={addTab}
        disabled={tabs.length >= most}
        aria-label={t('graphql.addTab')}
        data-testid="graphql-add-tab"
      >
        <IconPlus size={16} aria-hidden />
      </ActionIcon>
    </div>
  );
}
