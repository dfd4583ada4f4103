import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { HelpGroup } from '@/ipc/bindings';
import styles from './help.module.css';
import { useHelpPages } from './useHelpPages';

const groups: readonly HelpGroup[] = ['task', 'screen', 'operation'];

/** All pages of the help, by what they are about. */
export function HelpList({ show }: { show: (page: string) => void }) {
  const { t } = useTranslation();
  const { data } = useHelpPages();
  return groups.map((group) => (
    <section key={group} aria-labelledby={`help-${group}`}>
      <h3 id={`help-${group}`} className={styles.group}>
        {t(`help.groups.${group}`)}
      </h3>
      <ul className={styles.list}>
        {(data ?? [])
          .filter((one) => one.group === group)
          .map((one) => (
            <li key={one.page}>
              <UnstyledButton className={styles.entry} onClick={() => show(one.page)} data-testid={`help-page-${one.page}`}>
                {one.title}
              </UnstyledButton>
            </li>
          ))}
      </ul>
    </section>
  ));
}
