import { useQuery } from '@tanstack/react-query';

import { useSite } from '@/base/appState';
import { usePreferences } from '@/base/preferences';
import { queryKeys } from '@/base/queryKeys';
import { commands } from '@/ipc/bindings';

/** The help depends on the language and on the site's contract. */
function useHelpKey() {
  const { language } = usePreferences();
  return { language, site: useSite()?.site.name };
}

export function useHelpPages() {
  const { language, site } = useHelpKey();
  return useQuery({ queryKey: queryKeys.helpPages(site, language), queryFn: () => commands.helpPages(language) });
}

export function useHelpPage(page: string) {
  const { language, site } = useHelpKey();
  return useQuery({ queryKey: queryKeys.helpPage(site, language, page), queryFn: () => commands.helpPage(page, language) });
}

export function useHelpMatches(query: string) {
  const { language, site } = useHelpKey();
  return useQuery({
    queryKey: queryKeys.helpMatches(site, language, query),
    queryFn: () => commands.helpSearch(query, language),
    placeholderData: (before) => before,
  });
}
