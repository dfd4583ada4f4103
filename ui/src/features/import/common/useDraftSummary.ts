import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';

/** Describes a draft, for example `12 fixes and 3 skipped rows`. Empty if it contains only choices. */
export function useDraftSummary(): (draft: { edited: number; excluded: number }) => string {
  const { t, i18n } = useTranslation();
  const { number } = useFormats();
  return ({ edited, excluded }) => {
    const parts = [
      edited > 0 ? t('draft.fixes', { count: edited, number: number(edited) }) : null,
      excluded > 0 ? t('draft.skips', { count: excluded, number: number(excluded) }) : null,
    ].filter((part) => part !== null);
    return new Intl.ListFormat(i18n.language, { type: 'conjunction' }).format(parts);
  };
}
