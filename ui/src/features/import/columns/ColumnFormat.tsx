import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { SeveritySign } from '@/components/marks/StatusMarks';
import { useImport } from '@/features/import-session';
import { type ColumnView, type FormatChoice, type FormatKind, commands } from '@/ipc/bindings';
import styles from './columns.module.css';

const choices: Record<FormatKind, readonly FormatChoice[]> = {
  decimals: ['comma', 'point'],
  'date-order': ['day-first', 'month-first'],
};

/** How a column's texts are read, with the evidence; where nothing tells, the one click that settles it. */
export function ColumnFormat({ id, column }: { id: number; column: ColumnView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { apply } = useImport();
  const { format } = column;
  if (!format) return null;
  const choose = (choice: FormatChoice | null) =>
    void apply(commands.importChange(id, { change: 'format', column: column.index, choice }));
  if (format.verdict === 'ambiguous') {
    return (
      <span className={styles.format} data-testid={`format-${column.letter}`} data-verdict="ambiguous">
        <SeveritySign severity="error" />
        <span className={styles.ask}>{t(`columns.format.ask.${format.kind}`)}</span>
        <span className={styles.either}>
          {choices[format.kind].map((choice) => (
            <Button
              key={choice}
              size="compact-xs"
              variant="default"
              onClick={() => choose(choice)}
              data-testid={`choose-${choice}-${column.letter}`}
            >
              {t(`columns.format.choice.${choice}`)}
            </Button>
          ))}
        </span>
      </span>
    );
  }
  const counts = { proofs: number(format.proofs), of: number(format.of) };
  return (
    <span className={styles.format} data-testid={`format-${column.letter}`} data-verdict={format.verdict}>
      {format.verdict === 'contradictory' && <SeveritySign severity="error" />}
      {format.shown && <code>{format.shown}</code>}
      <span>{t(`columns.format.${format.verdict}`, counts)}</span>
      {format.verdict === 'chosen' && (
        <Button size="compact-xs" variant="subtle" onClick={() => choose(null)}>
          {t('columns.format.again')}
        </Button>
      )}
    </span>
  );
}
