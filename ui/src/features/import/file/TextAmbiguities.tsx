import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { findingText } from '@/base/engineTexts';
import { SeveritySign } from '@/components/marks/StatusMarks';
import { useImport } from '@/features/import-session';
import { type ImportView, type TextReading, commands } from '@/ipc/bindings';
import styles from './file.module.css';

/** Ambiguities of a text file with choices: quotes that hide rows, and the encoding. */
export function TextAmbiguities({ view }: { view: ImportView }) {
  const { quote, letters } = view.reading;
  if (!quote && !letters) return null;
  return (
    <div className={styles.doubts}>
      {quote && <QuoteAmbiguity view={view} quote={quote} />}
      {letters && <EncodingAmbiguity view={view} letters={letters} />}
    </div>
  );
}

/** Returns a function that changes the current text format. */
function useChangeTextFormat(view: ImportView): (change: Partial<TextReading>) => void {
  const { apply } = useImport();
  const { separator, quotesAsText, letters } = view.reading;
  // Choosing another option must not confirm an ambiguous encoding.
  const encoding = letters ? null : view.reading.encoding;
  return (change) => void apply(commands.importText(view.id, { encoding, separator, quotesAsText, ...change }));
}

type QuoteProps = { view: ImportView; quote: NonNullable<ImportView['reading']['quote']> };

function QuoteAmbiguity({ view, quote }: QuoteProps) {
  const { t } = useTranslation();
  const { busy } = useImport();
  const choose = useChangeTextFormat(view);
  const text = findingText({ code: quote.fault, parameters: { lines: String(quote.lines) } });
  return (
    <section className={styles.doubt} role="status" data-testid="quote-doubt">
      <p>
        <SeveritySign severity="error" /> <strong>{t('file.doubt.cell', { cell: `${quote.column}${quote.row}` })}</strong>{' '}
        {quote.count > 1 ? `${text}.` : text}
        {quote.count > 1 && <span className="muted"> {t('file.doubt.more', { count: quote.count - 1 })}</span>}
      </p>
      <Button
        size="xs"
        variant="default"
        disabled={busy}
        onClick={() => choose({ quotesAsText: true })}
        data-testid="quotes-as-text"
      >
        {t('file.doubt.quotesAsText')}
      </Button>
    </section>
  );
}

type EncodingProps = { view: ImportView; letters: NonNullable<ImportView['reading']['letters']> };

function EncodingAmbiguity({ view, letters }: EncodingProps) {
  const { t } = useTranslation();
  const { busy } = useImport();
  const choose = useChangeTextFormat(view);
  return (
    <section className={styles.doubt} aria-labelledby="letters-doubt" data-testid="letters-doubt">
      <p id="letters-doubt">
        <SeveritySign severity={letters.severity} /> {t('file.doubt.letters', { count: letters.count })}
      </p>
      <div className={styles.scroll} role="region" aria-labelledby="letters-doubt" tabIndex={0}>
        <table className={styles.head} aria-labelledby="letters-doubt">
          <thead>
            <tr>
              <th scope="col">{t('file.doubt.place')}</th>
              {letters.encodings.map((encoding) => (
                <th key={encoding} scope="col">
                  {encoding}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {letters.cells.map((cell) => (
              <tr key={`${cell.column}${cell.row}`}>
                <th scope="row" className={styles.rowNumber}>{`${cell.column}${cell.row}`}</th>
                {letters.encodings.map((encoding, index) => (
                  <td key={encoding} title={cell.texts[index]}>
                    {cell.texts[index]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className={styles.choices}>
        {letters.encodings.map((encoding) => (
          <Button
            key={encoding}
            size="xs"
            variant="default"
            disabled={busy}
            onClick={() => choose({ encoding })}
            data-testid={`letters-${encoding}`}
          >
            {t('file.doubt.use', { encoding })}
          </Button>
        ))}
      </div>
    </section>
  );
}
