import { ActionIcon } from '@mantine/core';
import { IconArrowLeft, IconArrowRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '@/base/navigation';
import styles from './bar.module.css';

/** Buttons that go back and forward through the visited places. */
export function HistoryButtons() {
  const { t } = useTranslation();
  const { back, forward } = useNavigation();
  return (
    <nav className={styles.visited} aria-label={t('shell.visited')}>
      <ActionIcon
        variant="subtle"
        aria-label={t('shell.back')}
        title={t('shell.back')}
        disabled={!back}
        onClick={() => back?.()}
        data-testid="go-back"
      >
        <IconArrowLeft size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        aria-label={t('shell.forward')}
        title={t('shell.forward')}
        disabled={!forward}
        onClick={() => forward?.()}
        data-testid="go-forward"
      >
        <IconArrowRight size={16} aria-hidden />
      </ActionIcon>
    </nav>
  );
}
