import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { Filter } from '@/ipc/bindings';
import type { TableColumn } from './columns';
import { draftOf } from './filterDraft';

/** A filter as a few words: `Customer contains “abc”`. */
export function useFilterWords(): (column: TableColumn, filter: Filter) => string {
  const { t } = useTranslation();
  const { serviceTime } = useFormats();
  return (column, filter) => {
    const draft = draftOf(column, filter);
    const how = t(`table.mode.${draft.mode}`);
    const end = (text: string) => (column.field?.kind === 'date-time' ? serviceTime(text) : text);
    switch (draft.mode) {
      case 'contains':
      case 'lacks':
      case 'equals':
        return `${column.label} ${how} “${draft.text}”`;
      case 'oneOf':
        return `${column.label}: ${draft.texts.join(', ')}`;
      case 'between':
        return `${column.label} ${[draft.from && `≥ ${end(draft.from)}`, draft.to && `≤ ${end(draft.to)}`].filter(Boolean).join(' ')}`;
      default:
        return `${column.label}: ${how}`;
    }
  };
}
