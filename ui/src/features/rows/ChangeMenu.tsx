import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useQuery } from '@tanstack/react-query';

import { useOperations } from '@/base/appState';
import { operationName, useFormats } from '@/base/useFormats';
import { useWindowView } from '@/base/window/windowView';
import { useImport } from '@/features/import-session';
import { queryKeys } from '@/base/queryKeys';
import { commands } from '@/ipc/bindings';

/** Returns the operations that accept rows of a list, according to the contract. */
function useRowOperations(list: string): readonly string[] {
  const { data } = useQuery({ queryKey: queryKeys.rowOperations(list), queryFn: () => commands.rowsBecome(list), staleTime: Infinity });
  return data ?? NO_OPERATIONS;
}

const NO_OPERATIONS: readonly string[] = [];

type Props = {
  /** The list's name. */
  list: string;
  set: number;
  positions: number[];
  size?: 'xs' | 'sm';
  testId?: string;
};

/** Opens rows as an import for an operation that accepts them. Hidden in secondary windows, and if no operation accepts them. */
export function ChangeMenu(props: Props) {
  return useWindowView() === null && <MainChangeMenu {...props} />;
}

function MainChangeMenu({ list, set, positions, size = 'sm', testId = 'rows-change' }: Props) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const operations = useOperations();
  const { openRows, busy } = useImport();
  const rowOperations = useRowOperations(list);
  if (rowOperations.length === 0) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          size={size}
          rightSection={<IconChevronDown size={14} aria-hidden />}
          disabled={busy || positions.length === 0}
          data-testid={testId}
        >
          {t('rows.change')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {rowOperations.map((operation) => (
          <Menu.Item
            key={operation}
            onClick={() => void openRows({ set, positions, operation })}
            data-testid={`change-${operation}`}
          >
            {operationName(operations, operation, name)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
