import { useTranslation } from 'react-i18next';

import { useImport } from '@/features/import-session';
import { type ImportView, commands } from '@/ipc/bindings';
import { PlainTable } from './PlainTable';

/** The first rows as they stand, so that a person can say which one holds the headings. */
export function HeadTable({ view }: { view: ImportView }) {
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
