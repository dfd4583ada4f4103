import { Button, Group, TextInput } from '@mantine/core';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useSite } from '@/base/appState';
import { useSiteName } from '@/components/marks/SiteName';
import { StartProblem } from '@/components/notices/StartProblem';
import { Dialog } from '@/components/page/Dialog';
import { toProblem } from '@/ipc/problem';
import styles from '../common/submission.module.css';

type Props = {
  count: number;
  description: string;
  /** Other effects of the deletion. */
  children?: ReactNode;
  busy: boolean;
  error: unknown;
  confirm: () => void;
  /** Deletes everything except the rows that colleagues are sending. */
  skipClaimed: () => void;
  close: () => void;
};

/** Confirms a deletion, which can't be undone. The user types the number of rows, and the button names the site. */
export function DeleteConfirmation({ count, description, children, busy, error, confirm, skipClaimed, close }: Props) {
  const { t } = useTranslation();
  const site = useSite();
  const siteName = useSiteName();
  const [typed, setTyped] = useState('');
  const isMatching = typed.trim() === String(count);
  const title = t('links.confirmTitle', { count, site: siteName(site?.site.name ?? '') });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (isMatching) confirm();
  };
  return (
    <Dialog title={title} close={close}>
      <form className={styles.confirm} onSubmit={submit}>
        <p>{description}</p>
        {children}
        <TextInput
          label={t('links.typeCount', { count })}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          inputMode="numeric"
          autoComplete="off"
          data-autofocus
          data-testid="confirm-count"
        />
        <StartProblem problem={error ? toProblem(error) : null} busy={busy} retry={confirm} skipClaimed={skipClaimed} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" color="red" disabled={!isMatching || busy} data-testid="confirm-delete">
            {title}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
