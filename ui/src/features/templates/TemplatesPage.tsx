import { Button } from '@mantine/core';
import { IconFileSpreadsheet, IconHistory } from '@tabler/icons-react';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from '@tanstack/react-query';

import { useOperations, useSite } from '@/base/appState';
import { useImport } from '@/features/import-session';
import { Results, storePlan } from '@/features/submission';
import { type CleanupLink, commands, type PlanView, type SiteView } from '@/ipc/bindings';
import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import { showProblemNotice } from '@/components/notices/problemNotice';

import { Cleanup } from './Cleanup';
import { BackButton } from './common/BackButton';
import { DeletedPage } from './DeletedPage';

const NO_LINKS: CleanupLink[] = [];

/** Returns a site's list of links to delete, and a function that changes it. The list is stored, so it survives a restart. */
function useCleanupList(site: string): [CleanupLink[], (links: CleanupLink[]) => void] {
  const { data } = useQuery({ queryKey: queryKeys.cleanupLinks(site), queryFn: () => commands.cleanupLinks(), staleTime: Infinity });
  const setLinks = useCallback(
    (links: CleanupLink[]) => {
      const before = queryClient.getQueryData<CleanupLink[]>(queryKeys.cleanupLinks(site));
      queryClient.setQueryData(queryKeys.cleanupLinks(site), links);
      commands.cleanupSetLinks(links).catch((cause: unknown) => {
        queryClient.setQueryData(queryKeys.cleanupLinks(site), before);
        showProblemNotice(cause);
      });
    },
    [site],
  );
  return [data ?? NO_LINKS, setLinks];
}

/** The links of templates to processes. Links can be collected and deleted. */
export function TemplatesPage() {
  const site = useSite();
  return site ? <SitePage key={site.site.name} site={site} /> : null;
}

function SitePage({ site }: { site: SiteView }) {
  const { t } = useTranslation();
  const [deleted, setDeleted] = useState<PlanView | null>(null);
  const [showsDeletions, setShowsDeletions] = useState(false);
  const [links, setLinks] = useCleanupList(site.site.name);
  const openDeletions = () => {
    setDeleted(null);
    setShowsDeletions(true);
  };
  if (deleted) {
    return (
      <Results
        id={deleted.id}
        title={t('templates.results')}
        actions={
          <>
            <BackButton back={() => setDeleted(null)} />
            <DeletionsButton open={openDeletions} />
          </>
        }
      />
    );
  }
  if (showsDeletions) return <DeletedPage back={() => setShowsDeletions(false)} />;
  return (
    <Cleanup
      site={site}
      links={links}
      setLinks={setLinks}
      action={
        <>
          <SpreadsheetButton />
          <DeletionsButton open={openDeletions} />
        </>
      }
      onDeleted={(made) => {
        storePlan(made);
        setLinks([]);
        setDeleted(made);
      }}
    />
  );
}

function DeletionsButton({ open }: { open: () => void }) {
  const { t } = useTranslation();
  return (
    <Button variant="default" leftSection={<IconHistory size={16} aria-hidden />} onClick={open} data-testid="deleted-before">
      {t('deleted.title')}
    </Button>
  );
}

/** A button that opens a workbook with links to delete as an import. */
function SpreadsheetButton() {
  const { t } = useTranslation();
  const { pickFileFor, busy } = useImport();
  const operation = useOperations().find(({ cleanup }) => cleanup)?.cleanup?.delete.operation;
  return (
    <Button
      variant="default"
      leftSection={<IconFileSpreadsheet size={16} aria-hidden />}
      disabled={busy || !operation}
      onClick={() => operation && void pickFileFor(operation)}
      data-testid="links-spreadsheet"
    >
      {t('templates.spreadsheet')}
    </Button>
  );
}
