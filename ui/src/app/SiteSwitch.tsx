import { Menu, UnstyledButton } from '@mantine/core';
import { IconBuildingFactory2, IconCheck, IconChevronDown, IconSettings } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useAppState, useSite } from '@/base/appState';
import { useNavigation } from '@/base/navigation';
import { SiteMark } from '@/components/marks/SiteName';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { commands } from '@/ipc/bindings';
import styles from './bar.module.css';

async function chooseSite(name: string): Promise<void> {
  try {
    await commands.siteChoose(name);
  } catch (cause) {
    showProblemNotice(cause);
  }
}

/** Selects the site for reads and writes. */
export function SiteSwitch() {
  const { t } = useTranslation();
  const { data } = useAppState();
  const { go } = useNavigation();
  const site = useSite();
  if (!data || !site) return <span className={styles.site} />;
  return (
    <Menu position="bottom-start" width={280}>
      <Menu.Target>
        <UnstyledButton className={styles.site} data-testid="site-switch" data-site={site.site.name}>
          <span className="hidden">{t('site.site')}</span>
          <SiteMark site={site.site} />
          <IconChevronDown size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {data.sites.map((one) => (
          <Menu.Item
            key={one.site.name}
            onClick={() => void chooseSite(one.site.name)}
            rightSection={one.chosen ? <IconCheck size={14} aria-label={t('site.chosen')} /> : null}
            data-testid={`site-${one.site.name}`}
          >
            <SiteMark site={one.site} />
          </Menu.Item>
        ))}
        <Menu.Divider />
        {site.site.kind === 'practice' && (
          <Menu.Item
            leftSection={<IconBuildingFactory2 size={14} aria-hidden />}
            onClick={() => go({ page: 'plant' })}
            data-testid="site-plant"
          >
            {t('pages.plant')}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconSettings size={14} aria-hidden />} onClick={() => go({ page: 'settings' })}>
          {t('site.manage')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
