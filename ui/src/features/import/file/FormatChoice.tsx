import { Checkbox, NativeSelect } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { useImport } from '@/features/import-session';
import { type ImportView, type RowChoice, commands } from '@/ipc/bindings';
import styles from './file.module.css';

const SEPARATORS = [
  [';', 'file.semicolon'],
  [',', 'file.comma'],
  ['\t', 'file.tab'],
  ['|', 'file.bar'],
  ['', 'file.oneColumn'],
] as const;

/** A text format being tried out. */
export type TextDraft = { encoding: string; separator: string; quotesAsText: boolean };

type Props = { view: ImportView; draft: TextDraft | null; setDraft: (draft: TextDraft) => void };

/** Options for reading the file: encoding and separator of a text, hidden rows, a row of totals. */
export function FormatChoice({ view, draft, setDraft }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { apply } = useImport();
  const { encoding, separator, quotesAsText, encodings, headingRows, hiddenRows, hiddenColumns, totalsRow, choice } = view.reading;
  const isText = encoding !== null && separator !== null;
  const canGroup = view.headerRow !== null && view.headerRow > 1;
  if (!isText && !canGroup && hiddenRows === 0 && hiddenColumns.length === 0 && totalsRow === null) return null;
  const skipRows = (rows: RowChoice) => void apply(commands.importSkipRows(view.id, rows));
  const options = encodings.includes(encoding ?? '') || encoding === null ? encodings : [encoding, ...encodings];
  return (
    <fieldset className={styles.group}>
      <legend>{t('file.reading')}</legend>
      {isText && (
        <>
          <NativeSelect
            label={t('file.encoding')}
            data={options}
            value={draft?.encoding ?? encoding}
            onChange={(event) => setDraft({ separator, quotesAsText, ...draft, encoding: event.target.value })}
            className={styles.other}
            data-testid="encoding"
          />
          <NativeSelect
            label={t('file.separator')}
            data={SEPARATORS.map(([value, label]) => ({ value, label: t(label) }))}
            value={draft?.separator ?? separator}
            onChange={(event) => setDraft({ encoding, quotesAsText, ...draft, separator: event.target.value })}
            className={styles.other}
            data-testid="separator"
          />
          <Checkbox
            label={t('file.quotesAsText')}
            checked={draft?.quotesAsText ?? quotesAsText}
            onChange={(event) => setDraft({ encoding, separator, ...draft, quotesAsText: event.target.checked })}
            className={styles.other}
            data-testid="quotes-as-text-choice"
          />
        </>
      )}
      {canGroup && (
        <NativeSelect
          label={t('file.headingRows')}
          data={['1', '2', '3'].slice(0, view.headerRow ?? 1)}
          value={String(headingRows)}
          onChange={(event) => void apply(commands.importHeaderRows(view.id, Number(event.target.value)))}
          className={styles.other}
          data-testid="heading-rows"
        />
      )}
      {hiddenRows > 0 && (
        <Checkbox
          label={t('file.skipHidden', { count: hiddenRows, rows: number(hiddenRows) })}
          checked={choice.skipHidden}
          onChange={(event) => skipRows({ ...choice, skipHidden: event.target.checked })}
          className={styles.other}
          data-testid="skip-hidden"
        />
      )}
      {totalsRow !== null && (
        <Checkbox
          label={t('file.skipTotals', { row: totalsRow })}
          checked={!choice.keepTotals}
          onChange={(event) => skipRows({ ...choice, keepTotals: !event.target.checked })}
          className={styles.other}
          data-testid="skip-totals"
        />
      )}
      {hiddenColumns.length > 0 && (
        <p className="muted small">{t('file.hiddenColumns', { columns: hiddenColumns.join(', ') })}</p>
      )}
    </fieldset>
  );
}
