import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { ContractVersion } from '@/ipc/bindings';

/** Sources of versions that aren't based on a document. */
const OWN_SOURCES = ['answers', 'hand', 'trial'] as const;

function isOwnSource(source: string): source is (typeof OWN_SOURCES)[number] {
  return OWN_SOURCES.some((one) => one === source);
}

/** Describes a version: number, source, author and date. */
export function useVersionText(): (version: ContractVersion) => string {
  const { t } = useTranslation();
  const { dateTime } = useFormats();
  return ({ number, at, person, source }) => {
    const places = { number, source, person, at: dateTime(at) };
    if (isOwnSource(source)) return t(`contract.versionOf.${source}`, places);
    return t(source ? 'contract.version' : 'contract.versionBuiltin', places);
  };
}
