import { type UseQueryResult, useQuery } from '@tanstack/react-query';

import { queryKeys } from '@/base/queryKeys';
import { type TrayView, commands } from '@/ipc/bindings';

/** Returns whether the desktop has a tray, and whether Takt stays there. */
export function useTray(): UseQueryResult<TrayView> {
  return useQuery({ queryKey: queryKeys.tray, queryFn: () => commands.trayView() });
}
