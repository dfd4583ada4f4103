import { Button, Checkbox, Group, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { parseCodes } from './codes';
import type { FieldPlace } from '@/ipc/bindings';
import { type FieldDraft, newField } from './operationEdit';
import { VALUE_TYPES } from './valueTypes';
import contract from '../common/contract.module.css';
import styles from './editor.module.css';

/** Indentation per nesting level, in pixels. */
const INDENTATION = 16;

type Props = { fields: FieldDraft[]; places: FieldPlace[]; change: (fields: FieldDraft[]) => void };

/** Edits the fields and filters: name at the site, type, and whether it is required. */
export function FieldEditor({ fields, places, change }: Props) {
  const { t } = useTranslation();
  const set = (at: number, part: Partial<FieldDraft>) => change(fields.map((field, index) => (index === at ? { ...field, ...part } : field)));
  const table = fields.length > 0 && (
    <div className={contract.wide} role="group" aria-label={t('contract.fields')} tabIndex={0}>
      <table className={styles.fields} aria-label={t('contract.fields')}>
        <thead>
          <tr>
            <th scope="col">{t('contract.columns.field')}</th>
            <th scope="col">{t('contract.columns.wire')}</th>
            <th scope="col">{t('contract.columns.type')}</th>
            <th scope="col">{t('contract.columns.codes')}</th>
            <th scope="col">{t('contract.columns.required')}</th>
            <th scope="col">{t('contract.columns.gone')}</th>
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
  return (
    <>
      {table}
      <AddFieldForm fields={fields} places={places} add={(field) => change([...fields, field])} />
    </>
  );
}

/** Adds a field or filter of the site that Takt doesn't know. */
function AddFieldForm({ fields, places, add }: { fields: FieldDraft[]; places: FieldPlace[]; add: (field: FieldDraft) => void }) {
  const { t } = useTranslation();
  const [wire, setWire] = useState('');
  const [place, setPlace] = useState<FieldPlace>(places[0] ?? 'answer');
  const field = newField(place, wire);
  const isTaken = fields.some((known) => known.place === place && known.path === field.path);
  return (
    <Group gap={8} align="flex-end">
      <TextInput
        size="xs"
        label={t('contract.addField')}
        value={wire}
        onChange={(event) => setWire(event.currentTarget.value)}
        data-testid="edit-add-name"
      />
      {places.length > 1 && (
        <Select
          size="xs"
          w={130}
          aria-label={t('contract.addFieldPlace')}
          data={places.map((value) => ({ value, label: t(`contract.places.${value}`) }))}
          value={place}
          onChange={(value) => setPlace(places.find((one) => one === value) ?? place)}
          allowDeselect={false}
          data-testid="edit-add-place"
        />
      )}
      <Button
        size="xs"
        variant="default"
        disabled={field.path === '' || isTaken}
        onClick={() => {
          add(field);
          setWire('');
        }}
        data-testid="edit-add"
      >
        {t('contract.add')}
      </Button>
    </Group>
  );
}

function FieldRow({ field, set }: { field: FieldDraft; set: (part: Partial<FieldDraft>) => void }) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const id = `${field.place}-${field.path}`;
  const title = name(field);
  return (
    <tr>
      <th scope="row" style={{ paddingLeft: field.depth * INDENTATION }}>
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
            data={VALUE_TYPES.map((value) => ({ value, label: t(`contract.valueTypes.${value}`) }))}
            value={field.type}
            onChange={(value) => set({ type: VALUE_TYPES.find((one) => one === value) ?? field.type })}
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
            error={parseCodes(field.codes) === null}
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
      <td>
        <Checkbox
          size="xs"
          aria-label={t('contract.goneOf', { field: title })}
          checked={field.gone}
          onChange={(event) => set({ gone: event.currentTarget.checked })}
          data-testid={`edit-gone-${id}`}
        />
      </td>
    </tr>
  );
}
