import { Button, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { operationName, useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { Dialog } from '@/components/page/Dialog';
import { type SharedChangeView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import styles from './changes.module.css';

/** Maximum number of listed changes. The command line lists all. */
const MAX_CHANGES = 10;

/** Recent changes to mappings and saved views, newest first, each with a restore button. */
export function TeamChanges() {
  const { t } = useTranslation();
  const title = useId();
  const { data, error } = useQuery({ queryKey: queryKeys.teamChanges, queryFn: () => commands.teamChanges(MAX_CHANGES), retry: false, refetchOnMount: 'always' });
  const [changeToRestore, setChangeToRestore] = useState<SharedChangeView | null>(null);
  return (
    <>
      <h3 id={title} className={styles.title}>{t('team.changes.title')}</h3>
      {error && <ProblemNote problem={toProblem(error)} />}
      {data?.length === 0 && <p className="muted">{t('team.changes.none')}</p>}
      {data && data.length > 0 && (
        <table className={styles.changes} aria-labelledby={title} data-testid="team-changes">
          <thead>
            <tr>
              <th>{t('team.changes.when')}</th>
              <th>{t('team.changes.who')}</th>
              <th>{t('team.changes.what')}</th>
              <th>
                <span className="hidden">{t('team.changes.restore')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map((change) => (
              <ChangeRow key={change.number} change={change} ask={() => setChangeToRestore(change)} />
            ))}
          </tbody>
        </table>
      )}
      {changeToRestore && <RestoreDialog change={changeToRestore} close={() => setChangeToRestore(null)} />}
    </>
  );
}

function ChangeRow({ change, ask }: { change: SharedChangeView; ask: () => void }) {
  const { t } = useTranslation();
  const { dateTime } = useFormats();
  const label = useChangeLabel(change);
  return (
    <tr data-testid="team-change">
      <td className={styles.when}>{dateTime(change.at)}</td>
      <td>{change.person}</td>
      <td>
        {label.title}
        <span className={`muted ${styles.where}`}>{label.where}</span>
      </td>
      <td>
        {change.latest && (
          <Button variant="default" size="compact-sm" onClick={ask} aria-label={`${t('team.changes.restore')}: ${label.title}`} data-testid="team-restore">
            {t('team.changes.restore')}
          </Button>
        )}
      </td>
    </tr>
  );
}

function RestoreDialog({ change, close }: { change: SharedChangeView; close: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { title } = useChangeLabel(change);
  const restore = useMutation({
    mutationFn: () => commands.teamRestore(change.number),
    onSuccess: close,
    // Restoring is refused if a colleague has changed the item in the meantime.
    onSettled: () => queries.invalidateQueries({ queryKey: queryKeys.teamChanges }),
  });
  return (
    <Dialog title={t('team.changes.restoreTitle')} close={close}>
      <p>{title}</p>
      <p>{t(`team.changes.restoreWhat.${change.change}`)}</p>
      {restore.error && <ProblemNote problem={toProblem(restore.error)} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {t('common.cancel')}
        </Button>
        <Button onClick={() => restore.mutate()} disabled={restore.isPending} data-testid="team-restore-confirm">
          {t('team.changes.restore')}
        </Button>
      </Group>
    </Dialog>
  );
}

/** Returns texts for a change: its title, and the site and operation that it belongs to. */
function useChangeLabel({ kind, change, site, operation, name }: SharedChangeView): { title: string; where: string } {
  const { t } = useTranslation();
  const formats = useFormats();
  const operations = useOperations();
  const where = [site, operationName(operations, operation, formats.name)].filter((part) => part !== '');
  return { title: t(`team.changes.${kind}.${change}`, { name }), where: where.join(' · ') };
}
