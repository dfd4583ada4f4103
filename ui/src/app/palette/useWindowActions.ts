import type { SpotlightActionData } from '@mantine/spotlight';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { useSite } from '@/base/appState';
import { useNavigation } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { openWindow } from '@/components/window/openWindow';
import type { Operation } from '@/ipc/bindings';

/** The floor, and the list that is looked at, in windows of their own. */
export function useWindowActions(operations: readonly Operation[]): SpotlightActionData[] {
  const { t } = useTranslation();
  const { name } = useFormats();
  const { place } = useNavigation();
  const site = useSite()?.site.name;
  const queries = useQueryClient();
  return useMemo(() => {
    const floor = {
      id: 'window-floor',
      label: t('window.openPage', { page: t('inbox.tabs.floor') }),
      onClick: () => void openWindow({ kind: 'floor', station: null }),
    };
    if (place.page !== 'browse') return [floor];
    const shown = place.operation ?? queries.getQueryData<string | null>(queryKeys.lastList(site));
    const operation = operations.find(({ id }) => id === shown);
    if (!operation) return [floor];
    const list = {
      id: 'window-list',
      label: t('window.openPage', { page: name(operation) }),
      onClick: () => void openWindow({ kind: 'list', operation: operation.id, parameters: place.parameters ?? null, find: place.find ?? '' }),
    };
    return [floor, list];
  }, [t, name, place, site, queries, operations]);
}
