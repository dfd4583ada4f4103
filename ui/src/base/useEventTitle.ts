import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

import type { EventLine } from '@/ipc/bindings';
import { useFormats } from './useFormats';

/** Returns an event's name: from the contract, or the service's number. */
export function useEventTitle(): (line: Pick<EventLine, 'names' | 'kind'>) => string {
  const { t } = useTranslation();
  const { name } = useFormats();
  return useCallback(
    ({ names, kind }) => {
      if (names) return name({ names });
      return kind === null ? t('inbox.noKind') : t('inbox.unknownKind', { kind });
    },
    [t, name],
  );
}
