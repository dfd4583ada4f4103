import { Button, Group, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useSite } from '../../app/state';
import { Dialog } from '../../components/Dialog';
import { ProblemNote } from '../../components/ProblemNote';
import { useSiteName } from '../../components/SiteName';
import { type Link, type SubmissionView, commands } from '../../ipc/bindings';
import { toProblem } from '../../ipc/problem';
import styles from './templates.module.css';

type Props = { links: Link[]; close: () => void; onDeleted: (submission: SubmissionView) => void };

/** Deleting can't be undone: the number is typed, and the site is named. */
export function DeleteDialog({ links, close, onDeleted }: Props) {
  const { t } = useTranslation();
  const site = useSite();
  const siteName = useSiteName();
  const [typed, setTyped] = useState('');
  const remove = useMutation({ mutationFn: () => commands.linksDelete(links), onSuccess: onDeleted });
  const count = links.length;
  const right = typed.trim() === String(count);
  const title = t('links.confirmTitle', { count, site: siteName(site?.site.name ?? '') });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (right) remove.mutate();
  };
  return (
    <Dialog title={title} close={close}>
      <form className={styles.dialog} onSubmit={submit}>
        <p>{t('links.confirmWhat', { count: new Set(links.map((link) => link.templateId)).size })}</p>
        <TextInput
          label={t('links.typeCount', { count })}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          inputMode="numeric"
          autoComplete="off"
          data-autofocus
          data-testid="confirm-count"
        />
        {remove.error && <ProblemNote problem={toProblem(remove.error)} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" color="red" disabled={!right || remove.isPending} data-testid="confirm-delete">
            {title}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
