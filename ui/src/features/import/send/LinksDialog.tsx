import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { DeleteConfirmation } from '@/features/submission';
import { AffectedOrders } from '@/features/templates';
import { type ImportView, type PreviewChoice, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';

type Props = {
  view: ImportView;
  seen: PreviewChoice | null;
  rows: number;
  busy: boolean;
  error: unknown;
  confirm: () => void;
  skipClaimed: () => void;
  close: () => void;
};

/** Confirms the deletion of a file's links: their number, their templates, and the affected orders. */
export function LinksDialog({ view, seen, rows, busy, error, confirm, skipClaimed, close }: Props) {
  const { t } = useTranslation();
  const site = view.destination?.site ?? '';
  const linksQuery = useQuery({
    // A check that ends in the meantime can change the rows to send.
    queryKey: queryKeys.importLinks(site, view.id, seen, view.totals),
    queryFn: () => commands.linksOfImport(view.id, seen),
    gcTime: 0,
    retry: false,
  });
  const templates = linksQuery.data?.templates;
  return (
    <DeleteConfirmation
      count={linksQuery.data?.links ?? rows}
      what={templates ? t('links.confirmWhat', { count: templates.length }) : t('send.deleteWhat')}
      busy={busy}
      error={error}
      confirm={confirm}
      skipClaimed={skipClaimed}
      close={close}
    >
      {linksQuery.error && <ProblemNote problem={toProblem(linksQuery.error)} quiet />}
      {templates && <AffectedOrders templates={templates} />}
    </DeleteConfirmation>
  );
}
