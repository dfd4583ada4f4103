import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import type { SpanForm } from '@/ipc/bindings';
import { useFormats } from '../useFormats';
import type { CellFormats } from './cells';

export function useCellFormats(spans: SpanForm = 'words'): CellFormats & { spans: SpanForm } {
  const { t } = useTranslation();
  const { duration, decimal, serviceTime, name } = useFormats();
  return useMemo(
    () => ({ yes: t('common.yes'), no: t('common.no'), duration, decimal, serviceTime, name, spans }),
    [t, duration, decimal, serviceTime, name, spans],
  );
}
