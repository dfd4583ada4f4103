import { Checkbox, Select, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { isUnencrypted } from '@/base/addresses';
import { useSite } from '@/base/appState';
import { useReceiver } from '@/features/receiver';
import type { DestinationDraft } from './destination';
import { useTargets } from './useTargets';

type Props = { where: DestinationDraft; change: (where: DestinationDraft) => void };

const ADDRESS_OPTION = 'address';
const OWN_RECEIVER_OPTION = 'own';

/** The destination of a replay: an address, the site's own receiver, or a target. */
export function DestinationFields({ where, change }: Props) {
  const { t } = useTranslation();
  const site = useSite()?.site.name;
  const targets = useTargets(site) ?? [];
  const { data: receiver } = useReceiver();
  const url = receiver?.urls[0] ?? null;
  const choose = (value: string | null) => {
    if (value === OWN_RECEIVER_OPTION && url !== null) change({ address: url, allowHttp: false, target: null });
    else change(value === null || value === ADDRESS_OPTION || value === OWN_RECEIVER_OPTION ? { address: '', allowHttp: false, target: null } : { ...where, target: value });
  };
  return (
    <>
      <Select
        label={t('replay.to')}
        data={[
          { value: ADDRESS_OPTION, label: t('replay.address') },
          ...(url === null ? [] : [{ value: OWN_RECEIVER_OPTION, label: t('replay.own') }]),
          ...targets.map(({ id, name }) => ({ value: String(id), label: t('replay.target', { name }) })),
        ]}
        value={where.target ?? (url !== null && where.address === url ? OWN_RECEIVER_OPTION : ADDRESS_OPTION)}
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
      {where.target === null && isUnencrypted(where.address) && (
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
