import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { ContractVersion } from '@/ipc/bindings';

/** A version in a sentence: its number, what it was made from, who took it and when. */
export function useVersionText(): (version: ContractVersion) => string {
  const { t } = useTranslation();
  const { moment } = useFormats();
  return ({ number, at, person, source }) =>
    t(source ? 'contract.version' : 'contract.versionBuiltin', { number, source, person, at: moment(at) });
}
