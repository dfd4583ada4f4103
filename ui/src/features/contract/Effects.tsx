import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { ContractEffect, Operation } from '@/ipc/bindings';

/** What a person already has that a document touches. */
export function Effects({ effects, operations }: { effects: ContractEffect[]; operations: Operation[] }) {
  const { t } = useTranslation();
  const { name } = useFormats();
  if (effects.length === 0) return null;
  const named = (id: string) => {
    const operation = operations.find((one) => one.id === id);
    return operation ? name(operation) : id;
  };
  return (
    <section aria-labelledby="contract-effects">
      <h3 id="contract-effects">{t('contract.effects')}</h3>
      <ul data-testid="contract-effects">
        {effects.map(({ operation, mappings, pictures }) => (
          <li key={operation}>
            {mappings > 0 && t('contract.touchedMappings', { operation: named(operation), count: mappings })}
            {pictures.length > 0 && ` ${t('contract.lostPictures', { operation: named(operation), pictures: pictures.map((names) => name({ names })).join(', ') })}`}
          </li>
        ))}
      </ul>
    </section>
  );
}
