import { useTranslation } from 'react-i18next';

import { splitPath } from '@/base/values/previewFields';
import { OldAndNewValue } from '@/components/values/OldAndNewValue';
import type { ImportView, PreviewField } from '@/ipc/bindings';
import { fieldName } from '../common/fieldNames';
import styles from './preview.module.css';

type Props = { view: ImportView; field: PreviewField; /** Whether the item is new. Then there is no old value. */ isNew?: boolean };

/** A changed field with its old and new value. */
export function FieldChange({ view, field, isNew = false }: Props) {
  const name = useFieldName(view, field.field);
  return (
    <span className={styles.change} data-conflict={field.conflict ?? undefined} data-field={field.field}>
      <span className="muted">{name}</span> <FieldValues view={view} field={field} isNew={isNew} />
    </span>
  );
}

/** Converts a field of a deleted item, so that the deleted value is shown as its only value. */
export function toDeletedField(field: PreviewField): PreviewField {
  return { ...field, old: null, new: field.old };
}

/** The old and new values of a field. A created item has no old values. */
export function FieldValues({ view, field, isNew = false }: Props) {
  const { field: path } = splitPath(field.field);
  const kind = view.fields.find((one) => one.path === path)?.kind ?? null;
  return <OldAndNewValue field={field} kind={kind} isNew={isNew} />;
}

/** Returns a field's display name, followed by the key of its part. */
export function useFieldName(view: ImportView, path: string): string {
  const { i18n } = useTranslation();
  const { field, part } = splitPath(path);
  const name = fieldName(view.fields, field, i18n.language);
  return part === null ? name : `${name} (${part})`;
}
