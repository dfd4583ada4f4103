import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { assumedHint } from '@/base/provenance';
import { useFormats } from '@/base/useFormats';
import type { Operation } from '@/ipc/bindings';
import { type TableColumn, tableColumns } from './columns';

/** The columns of an operation's rows, named in the window's language. */
export function useTableColumns(operation: Operation, unknown: readonly string[]): TableColumn[] {
  const { t } = useTranslation();
  const { name } = useFormats();
  const members = unknown.join('\n');
  return useMemo(
    () =>
      tableColumns(operation, members === '' ? [] : members.split('\n'), {
        name,
        hint: (field) => assumedHint(field, t),
        unknownHint: t('browse.unknownField'),
      }),
    [operation, members, name, t],
  );
}
