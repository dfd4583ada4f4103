import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '../../app/navigation';

/** An order's code that leads to everything known about it. */
export function OrderLink({ code }: { code: string }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  return (
    <Anchor
      component="button"
      type="button"
      className="mono"
      fz="inherit"
      title={t('order.open', { code })}
      onClick={() => go({ page: 'order', code })}
      data-testid={`order-${code}`}
    >
      {code}
    </Anchor>
  );
}
