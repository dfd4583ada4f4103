import { useEffect } from 'react';

import { commands } from '@/ipc/bindings';
import type { PlanStatus } from './session';

/** Tells where a person is in the import: its draft goes on from there. */
export function usePosition({ view, step, follows, plan }: PlanStatus): void {
  const id = plan === null ? view?.id : undefined;
  useEffect(() => {
    if (id !== undefined) void commands.importPosition(id, { step, follows }).catch(() => undefined);
  }, [id, step, follows]);
}
