import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '../../app/useFormats';
import type { Words } from './cells';

export function useCellWords(): Words {
  const { t } = useTranslation();
  const { duration, decimal, serviceTime } = useFormats();
  return useMemo(
    () => ({ yes: t('common.yes'), no: t('common.no'), duration, decimal, serviceTime }),
    [t, duration, decimal, serviceTime],
  );
}
