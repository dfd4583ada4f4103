import { Button, CloseButton, TextInput } from '@mantine/core';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useSite } from '../../app/state';
import type { Link, ProcessRow, SubmissionView } from '../../ipc/bindings';
import { DeleteDialog } from './DeleteDialog';
import { linkKey } from './links';
import styles from './templates.module.css';

type Props = {
  links: Link[];
  ticked: ProcessRow[];
  add: (operationCode: string) => void;
  remove: (link: Link) => void;
  clear: () => void;
  onDeleted: (submission: SubmissionView) => void;
};

/** The links to delete, collected from as many templates as one likes. */
export function LinkPanel({ links, ticked, add, remove, clear, onDeleted }: Props) {
  const { t } = useTranslation();
  const site = useSite();
  const [code, setCode] = useState('');
  const [asking, setAsking] = useState(false);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (code.trim() && ticked.length > 0) add(code.trim());
  };
  return (
    <aside className={styles.panel} aria-label={t('links.title')}>
      <form className={styles.adding} onSubmit={submit}>
        <TextInput
          label={t('links.operationCode')}
          description={t('links.why')}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          data-testid="operation-code"
          classNames={{ input: 'mono' }}
        />
        <Button
          type="submit"
          variant="default"
          disabled={!code.trim() || ticked.length === 0}
          data-testid="add-links"
        >
          {ticked.length === 0 ? t('links.tickFirst') : t('links.add', { count: ticked.length })}
        </Button>
      </form>
      <div className={styles.listHead}>
        <h2>{links.length === 0 ? t('links.none') : t('links.collected', { count: links.length })}</h2>
        {links.length > 0 && (
          <Button variant="subtle" size="compact-xs" onClick={clear}>
            {t('links.clear')}
          </Button>
        )}
      </div>
      <ul className={styles.links} data-testid="links" tabIndex={links.length > 0 ? 0 : undefined} aria-label={t('links.title')}>
        {links.slice(0, 500).map((link) => (
          <li key={linkKey(link)}>
            <span className={styles.link}>
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
      </ul>
      {links.length > 0 && (
        <Button color="red" disabled={!site?.signedIn} onClick={() => setAsking(true)} data-testid="delete-links">
          {t('links.delete', { count: links.length })}
        </Button>
      )}
      {asking && <DeleteDialog links={links} close={() => setAsking(false)} onDeleted={onDeleted} />}
    </aside>
  );
}
