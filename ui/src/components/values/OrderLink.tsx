import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '@/base/navigation';

/** An order's code that leads to everything known about it. `within` a grid's cell it isn't a stop of its own. */
export function OrderLink({ code, within = false }: { code: string; within?: boolean }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  return (
    <Anchor
      component="button"
      type="button"
      className="mono"
      tabIndex={within ? -1 : undefined}
      fz="inherit"
      title={t('order.open', { code })}
      onClick={() => go({ page: 'order', code })}
      data-testid={`order-${code}`}
    >
      {code}
    </Anchor>
  );
}
