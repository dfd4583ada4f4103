import { fieldsAlong, splitPath } from '@/base/values/previewFields';
import { useFormats } from '@/base/useFormats';
import { OldAndNewValue } from '@/components/values/OldAndNewValue';
import type { Field, PreviewField } from '@/ipc/bindings';
import styles from './submission.module.css';

type Props = {
  field: PreviewField;
  /** The fields of the operation's requests. */
  fields: readonly Field[];
  /** Whether the item is new. Then there is no old value. */
  isNew: boolean;
};

/** A field's old and new value, and the part that the field belongs to. */
export function SentFieldChange({ field, fields, isNew }: Props) {
  const { name } = useFormats();
  const { field: path, part } = splitPath(field.field);
  const fieldPath = fieldsAlong(fields, path);
  const fieldLabel = fieldPath.map(name).join(': ') || path;
  return (
    <span className={styles.change} data-conflict={field.conflict ?? undefined}>
      <span className="muted">{part === null ? fieldLabel : `${fieldLabel} (${part})`}</span>{' '}
      <OldAndNewValue field={field} kind={fieldPath.at(-1)?.kind ?? null} isNew={isNew} />
    </span>
  );
}
