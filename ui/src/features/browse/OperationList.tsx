import { Select, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { Operation } from '@/ipc/bindings';
import styles from './browse.module.css';

type Props = { operations: Operation[]; chosen: string | undefined; choose: (id: string) => void };

/** The read operations by area, in the contract's order. */
export function OperationList({ operations, chosen, choose }: Props) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const narrow = useMediaQuery('(max-width: 900px)');
  const areas = [...new Set(operations.map((one) => one.area))];
  const title = (area: string) => {
    const first = operations.find((one) => one.area === area);
    return first ? name({ names: first.areaNames }) : area;
  };
  // An area whose only list has the same name gets no heading.
  const alone = (area: string) => operations.filter((one) => one.area === area).every((one) => name(one) === title(area));
  if (narrow) {
    return (
      <nav className={styles.narrow} aria-label={t('browse.operations')}>
        <Select
          aria-label={t('browse.operations')}
          placeholder={t('browse.choose')}
          data-testid="browse-lists"
          data={areas.map((area) => ({
            group: title(area),
            items: operations.filter((one) => one.area === area).map((one) => ({ value: one.id, label: name(one) })),
          }))}
          value={chosen ?? null}
          onChange={(id) => id && choose(id)}
        />
      </nav>
    );
  }
  return (
    <nav className={styles.list} aria-label={t('browse.operations')}>
      {areas.map((area, place) => (
        <div key={area} role="group" className={styles.area} aria-labelledby={`area-${place}`}>
          <h2 id={`area-${place}`} className={styles.areaTitle} hidden={alone(area)}>
            {title(area)}
          </h2>
          <ul>
            {operations
              .filter((one) => one.area === area)
              .map((one) => (
                <li key={one.id}>
                  <UnstyledButton
                    className={styles.operation}
                    aria-current={one.id === chosen ? 'true' : undefined}
                    onClick={() => choose(one.id)}
                    data-testid={`browse-${one.id}`}
                  >
                    {name(one)}
                  </UnstyledButton>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
