import { Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { SeveritySign } from '../../components/Mark';
import { type ImportView, commands } from '../../ipc/bindings';
import { fieldName } from './matching';
import { useImport } from './session';
import styles from './columns.module.css';

/** Fields that every row needs and no column gives. */
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
          </li>
        ))}
      </ul>
    </section>
  );
}
