import { Button, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useImport } from '@/features/import-session';
import { type ColumnView, type FieldView, type ImportView, commands } from '@/ipc/bindings';
import { fieldName } from '../common/fieldNames';
import type { Adding } from './ColumnMenu';
import { JoinForm } from './JoinForm';
import { joinsOf } from './joins';
import styles from './columns.module.css';

/** Focuses the input that the user has just added. */
const focusOnce = (node: HTMLInputElement | null) => node?.focus();

type Props = { view: ImportView; column: ColumnView; adding: Adding | null; done: () => void };

/** A column's additional rules, each removable, and the form that adds one. */
export function ColumnExtras({ view, column, adding, done }: Props) {
  const { t, i18n } = useTranslation();
  const { apply } = useImport();
  const { matched, also } = column;
  const field = view.fields.find((one) => one.path === matched?.field);
  const give = (fields: string[]) => {
    done();
    void apply(commands.importChange(view.id, { change: 'fields', column: column.index, fields }));
  };
  const own = matched ? [matched.field, ...also] : [];
  return (
    <>
      {also.map((path) => (
        <span key={path} className={styles.extra}>
          {t('columns.extra.also', { field: fieldName(view.fields, path, i18n.language) })}
          <TakeBack press={() => give(own.filter((one) => one !== path))} />
        </span>
      ))}
      {joinsOf(view, column.index).map((path) => (
        <span key={path} className={styles.extra} data-testid={`joined-${column.letter}`}>
          {t('columns.extra.part', { field: fieldName(view.fields, path, i18n.language) })}
        </span>
      ))}
      {field?.blank === 'clear' && <span className={styles.extra}>{t('columns.extra.clear')}</span>}
      {(field?.replaced ?? 0) > 0 && <span className={styles.extra}>{t('columns.extra.replaced', { count: field?.replaced })}</span>}
      {adding === 'also' && (
        <Select
          aria-label={t('columns.menu.also')}
          data={view.fields.filter((one) => !own.includes(one.path)).map((one) => option(view.fields, one, i18n.language))}
          onChange={(path) => path && give([...own, path])}
          searchable
          ref={focusOnce}
          size="xs"
        />
      )}
      {adding === 'property' && view.propertyList && (
        <PropertyKey heading={column.heading} take={(key) => give([`${view.propertyList}[${key}]`])} />
      )}
      {adding === 'join' && field && <JoinForm view={view} field={field.path} columns={[column.index]} done={done} />}
    </>
  );
}

function TakeBack({ press }: { press: () => void }) {
  const { t } = useTranslation();
  return (
    <Button size="compact-xs" variant="subtle" onClick={press}>
      {t('columns.extra.takeBack')}
    </Button>
  );
}

function PropertyKey({ heading, take }: { heading: string; take: (key: string) => void }) {
  const { t } = useTranslation();
  const [key, setKey] = useState(heading);
  return (
    <span className={styles.extra}>
      <TextInput
        label={t('columns.extra.propertyKey')}
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && key.trim() && take(key.trim())}
        ref={focusOnce}
        size="xs"
      />
      <Button size="xs" variant="default" disabled={!key.trim()} onClick={() => take(key.trim())}>
        {t('columns.extra.take')}
      </Button>
    </span>
  );
}

function option(fields: readonly FieldView[], field: FieldView, language: string) {
  return { value: field.path, label: fieldName(fields, field.path, language) };
}
