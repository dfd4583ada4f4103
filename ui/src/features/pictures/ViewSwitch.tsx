import { SegmentedControl } from '@mantine/core';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';

import type { Operation } from '@/ipc/bindings';

export type RowsView = 'table' | 'picture';

/** Switches between table and picture. Hidden if the contract defines no picture for the list. */
export const ViewSwitch = memo(function ViewSwitch({ operation, viewing, onChange }: { operation: Operation; viewing: RowsView; onChange: (viewing: RowsView) => void }) {
  const { t } = useTranslation();
  if (operation.pictures.length === 0) return null;
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('picture.switch')}
      data={[
        { value: 'table', label: <span data-testid="table-switch">{t('picture.table')}</span> },
        { value: 'picture', label: <span data-testid="picture-switch">{t('picture.picture')}</span> },
      ]}
      value={viewing}
      onChange={(next) => onChange(next === 'picture' ? 'picture' : 'table')}
    />
  );
});
