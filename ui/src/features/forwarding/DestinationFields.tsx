import { Checkbox, Select, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { isOpen } from '@/base/addresses';
import { useSite } from '@/base/appState';
import { useReceiver } from '@/features/receiver';
import type { Where } from './destination';
import { useTargets } from './useTargets';

type Props = { where: Where; change: (where: Where) => void };

const typed = 'address';
const own = 'own';

/** The destination of a replay: an address, the site's own receiver, or a target. */
export function DestinationFields({ where, change }: Props) {
  const { t } = useTranslation();
  const site = useSite()?.site.name;
  const targets = useTargets(site) ?? [];
  const { data: receiver } = useReceiver();
  const url = receiver?.urls[0] ?? null;
  const choose = (value: string | null) => {
    if (value === own && url !== null) change({ address: url, allowHttp: false, target: null });
    else change(value === null || value === typed || value === own ? { address: '', allowHttp: false, target: null } : { ...where, target: value });
  };
  return (
    <>
      <Select
        label={t('replay.to')}
        data={[
          { value: typed, label: t('replay.address') },
          ...(url === null ? [] : [{ value: own, label: t('replay.own') }]),
          ...targets.map(({ id, name }) => ({ value: String(id), label: t('replay.target', { name }) })),
        ]}
        value={where.target ?? (url !== null && where.address === url ? own : typed)}
        onChange={choose}
        allowDeselect={false}
        data-testid="replay-to"
      />
      {where.target === null && (
        <TextInput
          label={t('forwarding.form.address')}
          placeholder={t('forwarding.form.addressExample')}
          value={where.address}
          onChange={(event) => change({ ...where, address: event.currentTarget.value })}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          data-testid="replay-address"
        />
      )}
      {where.target === null && isOpen(where.address) && (
        <Checkbox
          label={t('forwarding.form.allowHttp')}
          checked={where.allowHttp}
          onChange={(event) => change({ ...where, allowHttp: event.currentTarget.checked })}
          data-testid="replay-allowHttp"
        />
      )}
    </>
  );
}
