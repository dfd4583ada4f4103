import { useTranslation } from 'react-i18next';

import { split } from '@/base/values/previewFields';
import { OldNew } from '@/components/values/OldNew';
import type { ImportView, PreviewField } from '@/ipc/bindings';
import { fieldName } from '../common/fieldNames';
import styles from './preview.module.css';

type Props = { view: ImportView; field: PreviewField; /** There is nothing yet: no old value to show. */ created?: boolean };

/** One field: the old value struck through, the new one beside it. */
export function FieldChange({ view, field, created = false }: Props) {
  const name = useName(view, field.field);
  return (
    <span className={styles.change} data-conflict={field.conflict ?? undefined} data-field={field.field}>
      <span className="muted">{name}</span> <Values view={view} field={field} created={created} />
    </span>
  );
}

/** A field of what is deleted: its value alone, since none takes its place. */
export function asHeld(field: PreviewField): PreviewField {
  return { ...field, old: null, new: field.old };
}

/** Old and new; of what is created the new one alone. */
export function Values({ view, field, created = false }: Props) {
  const { field: path } = split(field.field);
  const kind = view.fields.find((one) => one.path === path)?.kind ?? null;
  return <OldNew field={field} kind={kind} created={created} />;
}

/** A field as a person reads it, with the part that it belongs to. */
export function useName(view: ImportView, path: string): string {
  const { i18n } = useTranslation();
  const { field, part } = split(path);
  const name = fieldName(view.fields, field, i18n.language);
  return part === null ? name : `${name} (${part})`;
}
