import { useMutation } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { runGuarded } from '@/base/guard';
import { DeleteConfirmation } from '@/features/submission';
import { type CleanupLink, type PlanView, commands } from '@/ipc/bindings';
import { AffectedOrders } from './AffectedOrders';

type Props = { links: CleanupLink[]; close: () => void; onDeleted: (made: PlanView) => void };

/** Confirms the deletion of the collected links. */
export function DeleteDialog({ links, close, onDeleted }: Props) {
  const { t } = useTranslation();
  const remove = useMutation({
    mutationFn: (skipClaimed: boolean) => runGuarded((confirmed) => commands.linksDelete(links, confirmed, skipClaimed)),
    onSuccess: onDeleted,
  });
  const templates = useMemo(() => [...new Set(links.map((link) => link.templateId))], [links]);
  return (
    <DeleteConfirmation
      count={links.length}
      what={t('links.confirmWhat', { count: templates.length })}
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
