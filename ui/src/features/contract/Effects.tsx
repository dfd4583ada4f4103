import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { ContractEffect } from '@/ipc/bindings';

/** What a person already has that a document touches. */
export function Effects({ effects }: { effects: ContractEffect[] }) {
  const { t } = useTranslation();
  const { name } = useFormats();
  if (effects.length === 0) return null;
  return (
    <section aria-labelledby="contract-effects">
      <h3 id="contract-effects">{t('contract.effects')}</h3>
      <ul data-testid="contract-effects">
        {effects.map(({ operation, mappings, pictures }) => (
          <li key={operation}>
            {mappings > 0 && t('contract.touchedMappings', { operation, count: mappings })}
            {pictures.length > 0 && ` ${t('contract.lostPictures', { operation, pictures: pictures.map((names) => name({ names })).join(', ') })}`}
          </li>
        ))}
      </ul>
    </section>
  );
}
