import { Select, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { SeveritySign } from '@/components/marks/StatusMarks';
import { useImport } from '@/features/import-session';
import { type ImportView, commands } from '@/ipc/bindings';
import { fieldName } from '../common/fieldNames';
import styles from './columns.module.css';

/** Required fields without a column. */
export function MissingFields({ view }: { view: ImportView }) {
  const { t, i18n } = useTranslation();
  const { apply } = useImport();
  const columns = view.columns.map((column) => ({
    value: String(column.index),
    label: `${column.letter} · ${column.heading || t('columns.noHeading')}`,
  }));
  return (
    <section className={styles.missing} aria-labelledby="missing-title" data-testid="missing">
      <h2 id="missing-title">
        <SeveritySign severity="error" /> {t('columns.missing', { count: view.missing.length })}
      </h2>
      <ul>
        {view.missing.map((path) => (
          <li key={path}>
            <Select
              label={fieldName(view.fields, path, i18n.language)}
              placeholder={t('columns.chooseColumn')}
              data={columns}
              value={null}
              searchable
              nothingFoundMessage={t('common.nothing')}
              onChange={(index) => index && void apply(commands.importMatch(view.id, Number(index), path))}
              data-testid={`missing-${path}`}
            />
            <ConstantField id={view.id} path={path} name={fieldName(view.fields, path, i18n.language)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Sets a constant for a field without a column. */
function ConstantField({ id, path, name }: { id: number; path: string; name: string }) {
  const { t } = useTranslation();
  const { apply } = useImport();
  const setConstant = (text: string) => {
    if (text.trim()) void apply(commands.importChange(id, { change: 'constant', field: path, text }));
  };
  return (
    <TextInput
      aria-label={t('columns.constant.for', { field: name })}
      placeholder={t('columns.constant.same')}
      onBlur={(event) => setConstant(event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Enter' && setConstant(event.currentTarget.value)}
      size="xs"
      mt={4}
      data-testid={`constant-${path}`}
    />
  );
}
