import { Button } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { DifferenceKind, OperationDifference } from '@/ipc/bindings';
import { partKind } from './partKind';

const CHANGE_KINDS: DifferenceKind[] = ['changed', 'added', 'gone', 'confirmed'];

type Props = { id: string; difference: OperationDifference | undefined; unfolded: boolean; toggle: () => void };

/** Shows an operation's number of changes by kind. A click toggles the details. */
export function ChangeCounts({ id, difference, unfolded, toggle }: Props) {
  const { t } = useTranslation();
  if (!difference) return <span className="muted">{t('contract.noChange')}</span>;
  const all = [...difference.parts.map(partKind), ...difference.fields.map(({ kind }) => kind)];
  const count = (kind: DifferenceKind) => all.filter((one) => one === kind).length;
  const counts = CHANGE_KINDS.filter((kind) => count(kind) > 0).map((kind) => t(`contract.kindCounts.${kind}`, { count: count(kind) }));
  if (counts.length === 0) return <span className="muted">{t('contract.kinds.confirmed')}</span>;
  const Icon = unfolded ? IconChevronDown : IconChevronRight;
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      leftSection={<Icon size={14} aria-hidden />}
      onClick={toggle}
      aria-expanded={unfolded}
      data-testid={`changes-${id}`}
    >
      {counts.join(', ')}
    </Button>
  );
}
