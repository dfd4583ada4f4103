import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '@/base/navigation';

/** An order code with a link to its page. With `isInGrid`, it is part of a grid cell and no tab stop. */
export function OrderLink({ code, isInGrid = false }: { code: string; isInGrid?: boolean }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  return (
    <Anchor
      component="button"
      type="button"
      className="mono"
      tabIndex={isInGrid ? -1 : undefined}
      fz="inherit"
      title={t('order.open', { code })}
      onClick={() => go({ page: 'order', code })}
      data-testid={`order-${code}`}
    >
      {code}
    </Anchor>
  );
}
