import { ActionIcon } from '@mantine/core';
import { IconHelp } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '@/base/navigation';
import { useHelp } from '@/features/help';
import { useImport } from '@/features/import-session';
import { helpPageOf } from './helpPageOf';

/** Opens the help where it speaks of the page that is shown, and closes it again. */
export function HelpButton() {
  const { t } = useTranslation();
  const { place } = useNavigation();
  const { view, step } = useImport();
  const help = useHelp();
  const isOpen = help.page !== undefined;
  const toggle = () => (isOpen ? help.close() : help.open(helpPageOf(place, view === null ? null : step)));
  return (
    <ActionIcon
      variant="subtle"
      color="petrol"
      aria-label={t('help.open')}
      title={t('help.open')}
      aria-pressed={isOpen}
      onClick={toggle}
      data-testid="help-open"
    >
      <IconHelp size={18} stroke={1.6} aria-hidden />
    </ActionIcon>
  );
}
