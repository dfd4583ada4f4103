import { UnstyledButton } from '@mantine/core';
import { spotlight } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { BackgroundSubmission } from './BackgroundSubmission';
import { LimitGauge } from './LimitGauge';
import { HelpButton } from './HelpButton';
import { SignInMenu } from './SignInMenu';
import { SiteSwitch } from './SiteSwitch';
import { Visited } from './Visited';
import { WaitingApprovals } from './WaitingApprovals';
import styles from './bar.module.css';

/** To where the window stood before; which site, what runs, how much the service still allows, who is signed in. */
export function TopBar() {
  const { t } = useTranslation();
  return (
    <header className={styles.bar}>
      <Visited />
      <SiteSwitch />
      <div className={styles.right}>
        <WaitingApprovals />
        <BackgroundSubmission />
        <LimitGauge />
        <UnstyledButton className={styles.search} onClick={spotlight.open} data-testid="palette-open">
          <IconSearch size={14} aria-hidden />
          <span>{t('palette.open')}</span>
          <kbd>{t('palette.keys')}</kbd>
        </UnstyledButton>
        <HelpButton />
        <SignInMenu />
      </div>
    </header>
  );
}
