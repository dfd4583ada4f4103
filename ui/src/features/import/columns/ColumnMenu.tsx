import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useImport } from '@/features/import-session';
import { type ColumnView, type ImportView, commands } from '@/ipc/bindings';

export type Adding = 'also' | 'property' | 'join';
type Props = { view: ImportView; column: ColumnView; add: (what: Adding) => void; values: (field: string) => void };

/** Menu of additional rules for a column. Only applicable ones are listed. */
export function ColumnMenu({ view, column, add, values }: Props) {
  const { t } = useTranslation();
  const { apply } = useImport();
  const heading = column.heading || t('columns.noHeading');
  const field = view.fields.find((one) => one.path === column.matched?.field);
  if (!field && !view.propertyList) return null;
  const blank = field?.blank === 'clear' ? 'leave' : 'clear';
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="petrol" aria-label={t('columns.menu.open', { column: heading })} data-testid={`menu-${column.letter}`}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {field && <Menu.Item onClick={() => values(field.path)}>{t('columns.menu.values')}</Menu.Item>}
        {field && <Menu.Item onClick={() => add('also')}>{t('columns.menu.also')}</Menu.Item>}
        {field?.kind === 'text' && <Menu.Item onClick={() => add('join')}>{t('columns.menu.join')}</Menu.Item>}
        {view.propertyList && <Menu.Item onClick={() => add('property')}>{t('columns.menu.property')}</Menu.Item>}
        {field?.clearable && (
          <Menu.Item
            onClick={() => void apply(commands.importChange(view.id, { change: 'blank', field: field.path, rule: blank }))}
            data-testid={`blank-${column.letter}`}
          >
            {t(`columns.menu.${blank}`)}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
