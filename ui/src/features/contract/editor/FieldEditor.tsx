import { Checkbox, Select, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { readCodes } from './codes';
import type { FieldDraft } from './operationEdit';
import { valueTypes } from './valueTypes';
import styles from './editor.module.css';

/** Indentation of a part under what carries it, in pixels. */
const STEP = 16;

type Props = { fields: FieldDraft[]; change: (fields: FieldDraft[]) => void };

/** Every field and filter by its name at the site, its type, and whether it is needed. */
export function FieldEditor({ fields, change }: Props) {
  const { t } = useTranslation();
  if (fields.length === 0) return null;
  const set = (at: number, part: Partial<FieldDraft>) => change(fields.map((field, index) => (index === at ? { ...field, ...part } : field)));
  return (
    <div className={styles.wide} role="group" aria-label={t('contract.fields')} tabIndex={0}>
      <table className={styles.fields}>
        <thead>
          <tr>
            <th scope="col">{t('contract.columns.field')}</th>
            <th scope="col">{t('contract.columns.wire')}</th>
            <th scope="col">{t('contract.columns.type')}</th>
            <th scope="col">{t('contract.columns.codes')}</th>
            <th scope="col">{t('contract.columns.required')}</th>
          </tr>
        </thead>
        <tbody>
          {fields.map((field, at) => (
            <FieldRow key={`${field.place} ${field.path}`} field={field} set={(part) => set(at, part)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function FieldRow({ field, set }: { field: FieldDraft; set: (part: Partial<FieldDraft>) => void }) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const id = `${field.place}-${field.path}`;
  const title = name(field);
  return (
    <tr>
      <th scope="row" style={{ paddingLeft: field.depth * STEP }}>
        {title} <span className="muted small">{t(`contract.places.${field.place}`)}</span>
      </th>
      <td>
        <TextInput
          size="xs"
          aria-label={t('contract.wireOf', { field: title })}
          value={field.wire}
          onChange={(event) => set({ wire: event.currentTarget.value })}
          data-testid={`edit-wire-${id}`}
        />
      </td>
      <td>
        {field.type && (
          <Select
            size="xs"
            aria-label={t('contract.typeOf', { field: title })}
            data={valueTypes.map((value) => ({ value, label: t(`contract.valueTypes.${value}`) }))}
            value={field.type}
            onChange={(value) => set({ type: valueTypes.find((one) => one === value) ?? field.type })}
            comboboxProps={{ keepMounted: false }}
            allowDeselect={false}
            data-testid={`edit-type-${id}`}
          />
        )}
      </td>
      <td>
        {field.type && field.place !== 'parameter' && (
          <TextInput
            size="xs"
            aria-label={t('contract.codesOf', { field: title })}
            placeholder={t('contract.codesHint')}
            value={field.codes}
            error={readCodes(field.codes) === null}
            onChange={(event) => set({ codes: event.currentTarget.value })}
            data-testid={`edit-codes-${id}`}
          />
        )}
      </td>
      <td>
        <Checkbox
          size="xs"
          aria-label={t('contract.requiredOf', { field: title })}
          checked={field.required}
          onChange={(event) => set({ required: event.currentTarget.checked })}
          data-testid={`edit-required-${id}`}
        />
      </td>
    </tr>
  );
}
