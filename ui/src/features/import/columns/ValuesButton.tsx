import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { SeveritySign } from '@/components/marks/StatusMarks';
import type { ColumnView, FindingCode, ImportView } from '@/ipc/bindings';
import styles from './columns.module.css';

/** Another value in the cell's place fixes none of these. */
const otherwise: ReadonlySet<FindingCode> = new Set(['required', 'duplicate-key', 'group-disagrees', 'not-before', 'formula-without-value']);

/** Opens the column's different values; says how many of its cells hold one that can't be sent. */
export function ValuesButton({ view, column, open }: { view: ImportView; column: ColumnView; open: () => void }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const field = column.matched?.field;
  const facets = view.facets.filter(
    (facet) => facet.field === field && facet.severity === 'error' && !otherwise.has(facet.code),
  );
  const wrong = facets.reduce((sum, facet) => sum + facet.count, 0);
  const toFix = wrong > 0 ? t('columns.values.wrong', { count: wrong, shown: number(wrong) }) : undefined;
  return (
    <Button
      className={styles.seeValues}
      size="compact-xs"
      variant="subtle"
      onClick={open}
      title={toFix}
      leftSection={toFix ? <SeveritySign severity="error" /> : null}
      rightSection={toFix ? <span className="number">{number(wrong)}</span> : null}
      data-testid={`values-${column.letter}`}
    >
      {t('columns.values.see')}
      <span className="hidden"> {[column.heading || column.letter, toFix].filter(Boolean).join(': ')}</span>
    </Button>
  );
}
