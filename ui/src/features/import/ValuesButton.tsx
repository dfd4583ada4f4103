import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '../../app/useFormats';
import { SeveritySign } from '../../components/Mark';
import type { ColumnView, ImportView } from '../../ipc/bindings';
import styles from './columns.module.css';

/** Opens the column's different values; says how many of its cells can't be sent as they are. */
export function ValuesButton({ view, column, open }: { view: ImportView; column: ColumnView; open: () => void }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const field = column.matched?.field;
  const found = view.facets.filter((facet) => facet.field === field && facet.severity === 'error');
  const wrong = found.reduce((sum, facet) => sum + facet.count, 0);
  return (
    <Button
      className={styles.seeValues}
      size="compact-xs"
      variant="subtle"
      onClick={open}
      aria-label={t('columns.values.open', { column: column.heading || column.letter })}
      leftSection={wrong > 0 ? <SeveritySign severity="error" /> : null}
      data-testid={`values-${column.letter}`}
    >
      {wrong > 0 ? t('columns.values.wrong', { count: wrong, shown: number(wrong) }) : t('columns.values.see')}
    </Button>
  );
}
