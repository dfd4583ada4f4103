import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { SeveritySign } from '@/components/marks/StatusMarks';
import { useImport } from '@/features/import-session';
import { type ContestedField, type ImportView, commands } from '@/ipc/bindings';
import { fieldName } from '../common/fieldNames';
import styles from '../file/file.module.css';

/** Fields that several columns match, with a choice: duplicate headings, or two names of one field. */
export function ContestedFields({ view }: { view: ImportView }) {
  if (view.contested.length === 0) return null;
  return (
    <div className={styles.doubts}>
      {view.contested.map((contested) => (
        <Contested key={contested.field} view={view} contested={contested} />
      ))}
    </div>
  );
}

function Contested({ view, contested: { field, columns } }: { view: ImportView; contested: ContestedField }) {
  const { t, i18n } = useTranslation();
  const { apply, busy } = useImport();
  // The column keeps the other fields that it fills.
  const choose = (index: number) => {
    const column = view.columns.find((one) => one.index === index);
    const filled = column?.matched ? [column.matched.field, ...column.also] : [];
    const fields = filled.includes(field) ? filled : [...filled, field];
    void apply(commands.importChange(view.id, { change: 'fields', column: index, fields }));
  };
  return (
    <section className={styles.doubt} role="status" data-testid={`contested-${field}`}>
      <p>
        <SeveritySign severity="error" /> {t('columns.contested', { field: fieldName(view.fields, field, i18n.language) })}
      </p>
      <div className={styles.choices}>
        {view.columns
          .filter((column) => columns.includes(column.index))
          .map((column) => (
            <Button
              key={column.index}
              size="xs"
              variant="default"
              disabled={busy}
              title={column.samples.join(' · ')}
              onClick={() => choose(column.index)}
              data-testid={`use-${column.letter}`}
            >
              {t('columns.useColumn', { column: `${column.letter} · ${column.heading}` })}
            </Button>
          ))}
      </div>
    </section>
  );
}
