import { Autocomplete, Button, Select } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useImport } from '@/features/import-session';
import { type ImportView, commands } from '@/ipc/bindings';
import { fieldName } from '../common/fieldNames';
import styles from './columns.module.css';

/** Sets one value for all rows, in a field without a column. */
export function ConstantForm({ view }: { view: ImportView }) {
  const { t, i18n } = useTranslation();
  const { apply } = useImport();
  const [path, setPath] = useState<string | null>(null);
  const [text, setText] = useState('');
  const free = freeFields(view);
  const field = view.fields.find((one) => one.path === path);
  if (free.length === 0) return null;
  return (
    <form
      className={styles.constant}
      aria-labelledby="constant-title"
      onSubmit={(event) => {
        event.preventDefault();
        if (!path || !text.trim()) return;
        setPath(null);
        setText('');
        void apply(commands.importChange(view.id, { change: 'constant', field: path, text: text.trim() }));
      }}
    >
      <h2 id="constant-title">{t('columns.constant.title')}</h2>
      <Select
        aria-label={t('columns.constant.field')}
        placeholder={t('columns.constant.field')}
        data={free.map((one) => ({ value: one, label: fieldName(view.fields, one, i18n.language) }))}
        value={path}
        onChange={setPath}
        searchable
        nothingFoundMessage={t('common.nothing')}
        size="xs"
        data-testid="constant-field"
      />
      <Autocomplete
        aria-label={t('columns.constant.text')}
        placeholder={t('columns.constant.text')}
        data={field?.kind === 'boolean' ? ['true', 'false'] : (field?.allowed ?? [])}
        value={text}
        onChange={setText}
        disabled={path === null}
        size="xs"
        data-testid="constant-text"
      />
      <Button type="submit" size="xs" variant="default" disabled={path === null || !text.trim()} data-testid="constant-do">
        {t('columns.constant.do')}
      </Button>
    </form>
  );
}

/** Returns the fields without a column or constant. Missing required fields are listed above. */
function freeFields(view: ImportView): string[] {
  const filled = new Set(view.columns.flatMap((one) => (one.matched ? [one.matched.field, ...one.also] : [])));
  return view.fields
    .filter((one) => !filled.has(one.path) && one.joined === null && one.constant === null && !view.missing.includes(one.path))
    .map((one) => one.path);
}
