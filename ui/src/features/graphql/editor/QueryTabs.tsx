import { ActionIcon, UnstyledButton } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { QuerySession } from '../common/useQuerySession';
import { nameOf } from '../document/operations';
import styles from '../common/graphql.module.css';

const MAX_TABS = 20;

/** The open queries, each with its own response. */
export function QueryTabs({ session: { tabs, active, add, select, close } }: { session: QuerySession }) {
  const { t } = useTranslation();
  const named = tabs.map(({ id, query }) => ({ id, title: nameOf(query) ?? t('graphql.untitled') }));
  return (
    <div className={styles.tabs} role="group" aria-label={t('graphql.tabs')}>
      {named.map(({ id, title }, at) => (
        <span key={id} className={styles.tab} data-active={at === active}>
          <UnstyledButton
            className={styles.tabName}
            aria-current={at === active ? 'true' : undefined}
            onClick={() => at !== active && select(at)}
            data-testid={`graphql-tab-${at}`}
          >
            {title}
          </UnstyledButton>
          {tabs.length > 1 && (
            <ActionIcon
              size="xs"
              variant="subtle"
              color="petrol"
              aria-label={t('graphql.closeTab', { name: title })}
              onClick={() => close(at)}
            >
              <IconX size={12} aria-hidden />
            </ActionIcon>
          )}
        </span>
      ))}
      <ActionIcon
        size="sm"
        variant="subtle"
        onClick={() => add()}
        disabled={tabs.length >= MAX_TABS}
        aria-label={t('graphql.addTab')}
        data-testid="graphql-add-tab"
      >
        <IconPlus size={16} aria-hidden />
      </ActionIcon>
    </div>
  );
}
