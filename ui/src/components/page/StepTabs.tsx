import { UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import styles from './tabs.module.css';

type Tab = { key: string | number; name: string; mark: ReactNode; testId: string };

type Props = {
  tabs: Tab[];
  chosen: string | number | null;
  /** Undefined if the tabs are read-only. */
  choose?: ((key: Tab['key']) => void) | undefined;
  testId?: string;
};

/** Tabs for a plan's steps. Nothing is shown for a single step. */
export function StepTabs({ tabs, chosen, choose, testId }: Props) {
  const { t } = useTranslation();
  if (tabs.length < 2) return null;
  return (
    <nav className={styles.bar} aria-label={t('plan.title')} data-testid={testId}>
      {tabs.map((tab) => (
        <UnstyledButton
          key={tab.key}
          className={styles.tab}
          aria-current={tab.key === chosen ? 'page' : undefined}
          disabled={!choose}
          onClick={() => choose?.(tab.key)}
          data-testid={tab.testId}
        >
          <span>{tab.name}</span> {tab.mark}
        </UnstyledButton>
      ))}
    </nav>
  );
}
