import { Spotlight, type SpotlightActionData, type SpotlightActionGroupData } from '@mantine/spotlight';
import type { TFunction } from 'i18next';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useAppState, useOperations, useSamples, useSite } from '@/base/appState';
import { listByCode } from '@/base/links/valueLinks';
import { eventTabs, pages, useNavigation } from '@/base/navigation';
import { operationName, useFormats } from '@/base/useFormats';
import { useSiteName } from '@/components/marks/SiteName';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { useImport } from '@/features/import-session';
import { useSignIn } from '@/features/sign-in';
import { commands } from '@/ipc/bindings';

const editors = ['TEXTAREA'];
/** The page itself opens the first. */
const [, ...otherTabs] = eventTabs;

/** Everything by name: pages, operations, samples, sites, signing in. */
export function Palette() {
  const { t } = useTranslation();
  const [query, setQuery] = useState('');
  const byCode = useByCode(query.trim());
  const groups = useGroups();
  const order = useOrderAction(query);
  return (
    <Spotlight
      actions={[...groups, ...(order ? [order] : []), ...byCode]}
      query={query}
      onQueryChange={setQuery}
      nothingFound={t('palette.nothing')}
      overlayProps={{ blur: 0 }}
      scrollable
      maxHeight={420}
      limit={40}
      shortcut="mod + K"
      // From a field or a choice, too; an editor has its own meaning for it.
      tagsToIgnore={editors}
      searchProps={{ placeholder: t('palette.search'), 'aria-label': t('palette.search') }}
      attributes={{ content: { 'aria-label': t('palette.open') } }}
    />
  );
}

/** What was typed, as an order's code. */
function useOrderAction(query: string): SpotlightActionGroupData | null {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const code = query.trim();
  if (!/^\S*\d\S*$/u.test(code)) return null;
  const label = t('order.goTo', { code });
  // It is found by what was typed, whatever its words are.
  const entry = { id: 'order', label, keywords: [query], onClick: () => go({ page: 'order', code }) };
  return { group: t('palette.orders'), actions: [entry] };
}

/** What is typed may be a code: then it opens the list of what has it. */
function useByCode(code: string): SpotlightActionGroupData[] {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const { name } = useFormats();
  const list = listByCode(useOperations());
  if (!list || code.length < shortestCode) return [];
  const { operation, parameter } = list;
  const label = t('palette.listWith', { list: name(operation), code });
  const open = () => go({ page: 'browse', operation: operation.id, parameters: { [parameter]: code } });
  return [{ group: t('palette.codes'), actions: [{ id: 'by-code', label, onClick: open }] }];
}

const shortestCode = 2;

/** Beginning and ending to take events, wherever one is; what is so already stays so. */
function receiving(site: string | undefined, t: TFunction): SpotlightActionData[] {
  if (site === undefined) return [];
  return [
    { id: 'receive', label: t('receiver.start'), onClick: () => void commands.receiverStart(site).catch(showProblemNotice) },
    { id: 'receive-no-more', label: t('receiver.end'), onClick: () => void commands.receiverStop(site).catch(showProblemNotice) },
  ];
}

function useGroups(): SpotlightActionGroupData[] {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const { name } = useFormats();
  const operations = useOperations();
  const samples = useSamples();
  const { data } = useAppState();
  const site = useSite();
  const siteName = useSiteName();
  const session = useImport();
  const signIn = useSignIn();
  return useMemo(() => {
    const doing = [
      { id: 'open', label: t('import.open'), onClick: () => void session.pick() },
      site?.signedIn
        ? { id: 'sign-out', label: t('person.signOut'), onClick: () => void signIn.signOut() }
        : { id: 'sign-in', label: t('person.signIn'), onClick: () => signIn.setOpen(true) },
      ...receiving(site?.site.name, t),
    ];
    return [
      {
        group: t('palette.pages'),
        actions: [
          ...pages.map((page) => ({ id: `page-${page}`, label: t(`pages.${page}`), onClick: () => go({ page }) })),
          ...otherTabs.map((tab) => ({
            id: `events-${tab}`,
            label: `${t('pages.events')}: ${t(`inbox.tabs.${tab}`)}`,
            onClick: () => go({ page: 'events', tab }),
          })),
        ],
      },
      { group: t('palette.actions'), actions: doing },
      {
        group: t('palette.reads'),
        actions: operations
          .filter((operation) => operation.kind === 'read')
          .map((operation) => ({
            id: `read-${operation.id}`,
            label: name(operation),
            description: operation.id,
            onClick: () => go({ page: 'browse', operation: operation.id }),
          })),
      },
      {
        group: t('palette.samples'),
        actions: (site?.site.kind === 'practice' ? samples : []).map((sample) => ({
          id: `sample-${sample.operation}`,
          label: operationName(operations, sample.operation, name),
          description: sample.file,
          onClick: () => void session.sample(sample.operation),
        })),
      },
      {
        group: t('palette.sites'),
        actions: (data?.sites ?? []).map((one) => ({
          id: `site-${one.site.name}`,
          label: siteName(one.site.name),
          onClick: () => void commands.siteChoose(one.site.name).catch(() => undefined),
        })),
      },
    ];
  }, [t, go, name, operations, samples, data, site, siteName, session, signIn]);
}
