import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { commands, type ImportView } from '@/ipc/bindings';
import { useImport } from '@/features/import-session';
import { toProblem } from '@/ipc/problem';

import { FormatChoice, type TextDraft } from './FormatChoice';
import { OperationChoice } from './OperationChoice';
import { PlanSheets } from './PlanSheets';
import { TextDoubts } from './TextDoubts';
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

type TextPreviewProps = { view: ImportView; draft: TextDraft; done: () => void };

/** Previews the first rows with another encoding or separator. */
function TextPreview({ view, draft, done }: TextPreviewProps) {
  const { t } = useTranslation();
  const { apply, busy } = useImport();
  const { encoding, separator, quotesAsText } = draft;
  const preview = useQuery({
    queryKey: queryKeys.textPreview(view.id, encoding, separator, quotesAsText),
    queryFn: () => commands.importPreviewText(view.id, draft),
    placeholderData: (before) => before,
    retry: false,
  });
  const take = async () => {
    await apply(commands.importText(view.id, draft));
    done();
  };
  return (
    <section className={styles.right} aria-labelledby="preview-title" data-testid="text-preview">
      <div className={styles.headline}>
        <h2 id="preview-title">{t('file.preview.title')}</h2>
        <span className="muted small">{t('file.preview.hint')}</span>
        <span className={styles.decide}>
          <Button size="xs" onClick={() => void take()} disabled={busy || preview.isError} data-testid="preview-take">
            {t('file.preview.take')}
          </Button>
          <Button size="xs" variant="subtle" onClick={done} data-testid="preview-leave">
            {t('file.preview.leave')}
          </Button>
        </span>
      </div>
      {preview.isError ? <ProblemNote problem={toProblem(preview.error)} /> : <PlainTable rows={preview.data ?? []} label={t('file.preview.title')} />}
    </section>
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
