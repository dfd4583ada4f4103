import { ActionIcon, Tooltip } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';

import { useWindowView } from '@/base/window/windowView';
import type { WindowView } from '@/ipc/bindings';
import { openWindow } from './openWindow';

/** Opens the current view in a separate window. Hidden in a secondary window. */
export const OpenWindowButton = memo(function OpenWindowButton({ view }: { view: WindowView }) {
  const { t } = useTranslation();
  if (useWindowView() !== null) return null;
  return (
    <Tooltip label={t('window.open')}>
      <ActionIcon variant="default" size={36} aria-label={t('window.open')} onClick={() => void openWindow(view)} data-testid="open-window">
        <IconExternalLink size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
});
