import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { useImport } from '@/features/import-session';
import { type ImportView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import type { TextDraft } from './FormatChoice';
import { PlainTable } from './PlainTable';
import styles from './file.module.css';

type Props = { view: ImportView; draft: TextDraft; done: () => void };

/** Previews the first rows with another encoding or separator. */
export function TextPreview({ view, draft, done }: Props) {
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
