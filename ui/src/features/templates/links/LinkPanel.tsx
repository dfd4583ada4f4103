import { Autocomplete, Button, CloseButton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type SyntheticEvent, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useSite } from '@/base/appState';
import { runGuarded } from '@/base/guard';
import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { DeleteConfirmation } from '@/features/submission';
import { type CleanupLink, commands, type PlanView } from '@/ipc/bindings';

import styles from '../common/templates.module.css';
import { AffectedOrders } from './AffectedOrders';
import { linkKey } from './links';

/** Maximum number of listed links. The others are only counted, but are deleted too. */
const MAX_LINKS = 300;
const MAX_SUGGESTED_CODES = 10;
const NO_CODES: string[] = [];

/** The collected links, each with a remove button. */
function LinkList({ links, remove }: { links: CleanupLink[]; remove: (link: CleanupLink) => void }) {
  const { t } = useTranslation();
  return (
    <ul className={styles.links} data-testid="links" tabIndex={links.length > 0 ? 0 : undefined} aria-label={t('links.title')}>
      {links.slice(0, MAX_LINKS).map((link) => (
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
      {links.length > MAX_LINKS && <li className="muted">{t('links.more', { count: links.length - MAX_LINKS })}</li>}
    </ul>
  );
}

type DeleteDialogProps = { links: CleanupLink[]; close: () => void; onDeleted: (made: PlanView) => void };

/** Confirms deleting the collected links. */
function DeleteDialog({ links, close, onDeleted }: DeleteDialogProps) {
  const { t } = useTranslation();
  const remove = useMutation({
    mutationFn: (skipClaimed: boolean) => runGuarded((confirmed) => commands.linksDelete(links, confirmed, skipClaimed)),
    onSuccess: onDeleted,
  });
  const templates = useMemo(() => [...new Set(links.map((link) => link.templateId))], [links]);
  return (
    <DeleteConfirmation
      count={links.length}
      description={t('links.confirmWhat', { count: templates.length })}
      busy={remove.isPending}
      error={remove.error}
      confirm={() => remove.mutate(false)}
      skipClaimed={() => remove.mutate(true)}
      close={close}
    >
      <AffectedOrders templates={templates} />
    </DeleteConfirmation>
  );
}

type Props = {
  links: CleanupLink[];
  /** The number of links that the button adds. They are the ticked links, or else the filtered ones. */
  linksToAdd: { count: number; by: 'ticks' | 'filter' };
  add: (operationCode: string) => void;
  setLinks: (links: CleanupLink[]) => void;
  onDeleted: (made: PlanView) => void;
};

/** The links that are collected for deletion. */
export function LinkPanel({ links, linksToAdd, add, setLinks, onDeleted }: Props) {
  const { t } = useTranslation();
  const site = useSite();
  const { number } = useFormats();
  const [code, setCode] = useState('');
  const [asking, setAsking] = useState(false);
  const { data: codes } = useQuery({ queryKey: queryKeys.operationCodes(site?.site.name ?? ''), queryFn: () => commands.cleanupOperationCodes() });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (code.trim() && linksToAdd.count > 0) add(code.trim());
  };
  const save = useMutation({
    mutationFn: () => commands.cleanupSave(t('links.saveTitle'), t('links.saveName')),
    onSuccess: (path) => showSavedNotice(path),
    onError: showProblemNotice,
  });
  return (
    <aside className={styles.panel} aria-label={t('links.title')}>
      <form className={styles.adding} onSubmit={submit}>
        <Autocomplete
          label={t('links.operationCode')}
          description={t('links.why')}
          value={code}
          onChange={setCode}
          data={codes ?? NO_CODES}
          limit={MAX_SUGGESTED_CODES}
          data-testid="operation-code"
          classNames={{ input: 'mono' }}
        />
        <Button type="submit" variant="default" disabled={!code.trim() || linksToAdd.count === 0} data-testid="add-links">
          {linksToAdd.count === 0 ? t('links.tickFirst') : t(`links.add.${linksToAdd.by}`, { count: linksToAdd.count })}
        </Button>
      </form>
      <div className={styles.listHead}>
        <h2 data-testid="links-count">{links.length === 0 ? t('links.none') : t('links.collected', { count: links.length })}</h2>
        {links.length > 0 && (
          <span className={styles.listActions}>
            <Button variant="subtle" size="compact-xs" onClick={() => save.mutate()} data-testid="links-save">
              {t('links.save')}
            </Button>
            <Button variant="subtle" size="compact-xs" onClick={() => setLinks([])} data-testid="links-clear">
              {t('links.clear')}
            </Button>
          </span>
        )}
      </div>
      <LinkList links={links} remove={(link) => setLinks(links.filter((one) => one !== link))} />
      {links.length > 0 && (
        <Button color="red" disabled={!site?.signedIn} onClick={() => setAsking(true)} data-testid="delete-links">
          {t('links.delete', { count: links.length, number: number(links.length) })}
        </Button>
      )}
      {asking && <DeleteDialog links={links} close={() => setAsking(false)} onDeleted={onDeleted} />}
    </aside>
  );
}
