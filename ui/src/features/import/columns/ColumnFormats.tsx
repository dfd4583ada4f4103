import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { SeveritySign } from '@/components/marks/StatusMarks';
import { useImport } from '@/features/import-session';
import { type ColumnView, type FormatChoice, type FormatExample, type FormatKind, type FormatView, commands } from '@/ipc/bindings';
import styles from './columns.module.css';

type Props = {
  id: number;
  column: ColumnView;
  /** The formats to show. All by default. */
  kinds?: readonly FormatKind[];
};

/** The formats of a column's texts, and the evidence for them. If a format is ambiguous, you can choose one. */
export function ColumnFormats({ id, column, kinds }: Props) {
  return column.formats.filter(({ kind }) => kinds?.includes(kind) ?? true).map((format) => <ColumnFormat key={format.kind} id={id} column={column} format={format} />);
}

function ColumnFormat({ id, column, format }: { id: number; column: ColumnView; format: FormatView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { apply } = useImport();
  const choose = (choice: FormatChoice) => void apply(commands.importChange(id, { change: 'format', column: column.index, choice }));
  const reopen = () => void apply(commands.importChange(id, { change: 'reopen-format', column: column.index, kind: format.kind }));
  if (format.verdict === 'ambiguous') {
    return (
      <span className={styles.format} data-testid={`format-${column.letter}`} data-verdict="ambiguous">
        <SeveritySign severity="error" />
        <span className={styles.ask}>{t(`columns.format.ask.${format.kind}`)}</span>
        {format.examples.map((example) => (
          <span key={example.choice} className={styles.either}>
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => choose(example.choice)}
              data-testid={`choose-${example.choice}-${column.letter}`}
            >
              {t(`columns.format.choice.${example.choice}`)}
            </Button>
            <Example example={example} />
          </span>
        ))}
      </span>
    );
  }
  const counts = { of: number(format.of) };
  const [example] = format.examples;
  return (
    <span className={styles.format} data-testid={`format-${column.letter}`} data-verdict={format.verdict}>
      {format.verdict === 'contradictory' && <SeveritySign severity="error" />}
      {format.shown && <code>{format.shown}</code>}
      {!format.shown && format.choice && <span>{t(`columns.format.choice.${format.choice}`)}</span>}
      {example && <Example example={example} />}
      <span>{t(`columns.format.${format.verdict}`, counts)}</span>
      {format.verdict === 'chosen' && (
        <Button size="compact-xs" variant="subtle" onClick={reopen}>
          {t('columns.format.again')}
        </Button>
      )}
    </span>
  );
}

/** Shows how a format reads the column's first ambiguous cell. */
function Example({ example: { cell, read } }: { example: FormatExample }) {
  const { t } = useTranslation();
  const { serviceTime } = useFormats();
  if (cell === null || read === null) return null;
  return <span className={styles.example}>{t('columns.format.example', { cell, read: serviceTime(read) })}</span>;
}
