import { Menu } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { Actions, Place } from './cells/actions';
import styles from './fix.module.css';

type Props = { place: Place | null; actions: Actions; close: () => void };

/** Context menu for the selected cells, also opened by Shift+F10 or the menu key. */
export function FixMenu({ place, actions, close }: Props) {
  const { t } = useTranslation();
  const { count, rows, fillDown, fillRight, alike, exclude, include, ask } = actions;
  return (
    <Menu
      opened={place !== null}
      onChange={(opened) => {
        if (opened) return;
        place?.back?.focus();
        close();
      }}
      position="bottom-start"
      returnFocus={false}
      shadow="md"
    >
      <Menu.Target>
        <span aria-hidden className={styles.anchor} style={{ left: place?.left ?? 0, top: place?.top ?? 0 }} />
      </Menu.Target>
      <Menu.Dropdown aria-label={t('fix.menu')} data-testid="fix-menu">
        {alike && <Menu.Item onClick={() => ask(true)}>{t('fix.replaceCount', { count: alike.count })}</Menu.Item>}
        {fillDown && <Menu.Item onClick={fillDown}>{t('fix.fill')}</Menu.Item>}
        {fillRight && count > rows && <Menu.Item onClick={() => fillRight()}>{t('fix.fillRight')}</Menu.Item>}
        {exclude && <Menu.Item onClick={exclude.run}>{t('fix.exclude', { count: exclude.count })}</Menu.Item>}
        {include && <Menu.Item onClick={include.run}>{t('fix.include', { count: include.count })}</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  );
}
