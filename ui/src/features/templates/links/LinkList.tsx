import { CloseButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { CleanupLink } from '@/ipc/bindings';
import { linkKey } from './links';
import styles from '../common/templates.module.css';

/** So many stand in the list; the others are counted, and go with them. */
const most = 300;

/** The collected links, each with a way to take it off. */
export function LinkList({ links, remove }: { links: CleanupLink[]; remove: (link: CleanupLink) => void }) {
  const { t } = useTranslation();
  return (
    <ul className={styles.links} data-testid="links" tabIndex={links.length > 0 ? 0 : undefined} aria-label={t('links.title')}>
      {links.slice(0, most).map((link) => (
        <li key={linkKey(link)}>
          <span className={styles.link} title={link.description}>
            <span className="number">{t('links.template', { id: link.templateId })}</span>
            <code>{link.processCode}</code>
            <code>{link.operationCode}</code>
          </span>
          <CloseButton
            size="xs"
            onClick={() => remove(link)}
            aria-label={t('links.remove', { id: link.templateId, process: link.processCode, operation: link.operationCode })}
          />
        </li>
      ))}
      {links.length > most && <li className="muted">{t('links.more', { count: links.length - most })}</li>}
    </ul>
  );
}
