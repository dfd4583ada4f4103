import { ActionIcon, UnstyledButton } from '@mantine/core';
import { spotlight } from '@mantine/spotlight';
import { IconArrowLeft, IconArrowRight, IconSearch } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '@/base/navigation';
import { BackgroundSubmission } from './BackgroundSubmission';
import { LimitGauge } from './LimitGauge';
import { SignInMenu } from './SignInMenu';
import { SiteSwitch } from './SiteSwitch';
import styles from './bar.module.css';

/** To where the window stood before; which site, what runs, how much the service still allows, who is signed in. */
export function TopBar() {
  const { t } = useTranslation();
  return (
    <header className={styles.bar}>
      <Visited />
      <SiteSwitch />
      <div className={styles.right}>
        <BackgroundSubmission />
        <LimitGauge />
        <UnstyledButton className={styles.search} onClick={spotlight.open} data-testid="palette-open">
          <IconSearch size={14} aria-hidden />
          <span>{t('palette.open')}</span>
          <kbd>{t('palette.keys')}</kbd>
        </UnstyledButton>
        <SignInMenu />
      </div>
    </header>
  );
}

function Visited() {
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
