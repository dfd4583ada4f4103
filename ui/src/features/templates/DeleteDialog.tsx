import { useMutation } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { guarded } from '@/base/guard';
import { ConfirmDelete } from '@/features/submission/ConfirmDelete';
import { type CleanupLink, type SubmissionView, commands } from '@/ipc/bindings';
import { Affected } from './Affected';

type Props = { links: CleanupLink[]; close: () => void; onDeleted: (submission: SubmissionView) => void };

/** The last question before collected links are deleted. */
export function DeleteDialog({ links, close, onDeleted }: Props) {
  const { t } = useTranslation();
  const remove = useMutation({
    mutationFn: () => guarded((confirmed) => commands.linksDelete(links, confirmed)),
    onSuccess: onDeleted,
  });
  const templates = useMemo(() => [...new Set(links.map((link) => link.templateId))], [links]);
  return (
    <ConfirmDelete
      count={links.length}
      what={t('links.confirmWhat', { count: templates.length })}
      busy={remove.isPending}
      error={remove.error}
      confirm={() => remove.mutate()}
      close={close}
    >
      <Affected templates={templates} />
    </ConfirmDelete>
  );
}
