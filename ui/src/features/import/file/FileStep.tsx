import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { commands, type ImportView } from '@/ipc/bindings';
import { useImport } from '@/features/import-session';

import { FormatChoice, type TextDraft } from './FormatChoice';
import { OperationChoice } from './OperationChoice';
import { PlanSheets } from './PlanSheets';
import { TextDoubts } from './TextDoubts';
import { TextPreview } from './TextPreview';
import styles from './file.module.css';
import { PlainTable } from './PlainTable';

/** The first rows, from which the header row can be chosen. */
function HeadTable({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const { apply } = useImport();
  const choice = (row: number) => (
    <label>
      <input
        type="radio"
        name="heading"
        checked={row === view.headerRow}
        onChange={() => void apply(commands.importHeader(view.id, row))}
        aria-label={t('file.headingRow', { row })}
        data-testid={`heading-${row}`}
      />
      <span className="number">{row}</span>
    </label>
  );
  return (
    <PlainTable
      rows={view.head}
      label={t('file.firstRows')}
      testId="head"
      headerRow={view.headerRow}
      number={choice}
    />
  );
}

/** The file step: sheet, header row and operation. */
export function FileStep({ view }: { view: ImportView }) {
  const [draft, setDraft] = useState<TextDraft | null>(null);
  return (
    <div className={styles.columns}>
      <div className={styles.left}>
        <TextDoubts view={view} />
        <OperationChoice view={view} />
        <PlanSheets view={view} />
        <FormatChoice view={view} draft={draft} setDraft={setDraft} />
      </div>
      {draft ? <TextPreview view={view} draft={draft} done={() => setDraft(null)} /> : <Headings view={view} />}
    </div>
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
