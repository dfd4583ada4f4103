import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { Choice } from '@/components/controls/Choice';
import { useImport } from '@/features/import-session';
import { type ImportView, commands } from '@/ipc/bindings';
import { FormatChoice, type TextDraft } from './FormatChoice';
import { HeadTable } from './HeadTable';
import { OperationChoice } from './OperationChoice';
import { PlanSheets } from './PlanSheets';
import { TextDoubts } from './TextDoubts';
import { TextPreview } from './TextPreview';
import styles from './file.module.css';

/** What the file is: which sheet, which row holds the headings, and what its rows are for. */
export function FileStep({ view }: { view: ImportView }) {
  const [draft, setDraft] = useState<TextDraft | null>(null);
  return (
    <div className={styles.columns}>
      <div className={styles.left}>
        <TextDoubts view={view} />
        <OperationChoice view={view} />
        {view.steps.length > 1 ? <PlanSheets view={view} /> : <Sheets view={view} />}
        <FormatChoice view={view} draft={draft} setDraft={setDraft} />
      </div>
      {draft ? <TextPreview view={view} draft={draft} done={() => setDraft(null)} /> : <Headings view={view} />}
    </div>
  );
}

function Sheets({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { apply } = useImport();
  return (
    <fieldset className={styles.group}>
      <legend>{t('file.sheet')}</legend>
      {view.sheets.map((sheet) => (
        <Choice
          key={sheet.name}
          name="sheet"
          checked={sheet.name === view.sheet}
          choose={() => void apply(commands.importSheet(view.id, sheet.name))}
          disabled={sheet.rows === 0}
          testId={`sheet-${sheet.name}`}
        >
          <span>{sheet.name}</span>
          <span className="muted small number">
            {[
              sheet.rows === 0 && t('file.empty'),
              sheet.rows !== null &&
                sheet.rows > 0 &&
                [t('file.sizeRows', { count: sheet.rows, rows: number(sheet.rows) }), t('file.sizeColumns', { count: sheet.columns ?? 0, columns: number(sheet.columns ?? 0) })].join(', '),
              !sheet.visible && t('file.hiddenSheet'),
            ]
              .filter((part) => part !== false)
              .join(' · ')}
          </span>
        </Choice>
      ))}
    </fieldset>
  );
}

function Headings({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  return (
    <section className={styles.right} aria-labelledby="head-title">
      <div className={styles.headline}>
        <h2 id="head-title">{t('file.heading')}</h2>
        <span className="muted small">
          {view.headerRow ? t('file.headingHint') : t('file.noHeading')}
        </span>
      </div>
      <HeadTable view={view} />
    </section>
  );
}
