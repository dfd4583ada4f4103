import { useTranslation } from 'react-i18next';

import type { ImportView, PreviewField, Value as Json } from '../../ipc/bindings';
import { fieldName } from './matching';
import { shown, split } from './previews';
import styles from './preview.module.css';

/** One field: the old value struck through, the new one beside it. */
export function Change({ view, field }: { view: ImportView; field: PreviewField }) {
  const name = useName(view, field.field);
  return (
    <span className={styles.change} data-conflict={field.conflict ?? undefined} data-field={field.field}>
      <span className="muted">{name}</span> <Values field={field} />
    </span>
  );
}

/** Old and new. */
export function Values({ field }: { field: PreviewField }) {
  const { t } = useTranslation();
  return (
    <>
      <del className={styles.old} aria-label={t('preview.old')}>
        <Value value={field.old} />
      </del>{' '}
      <ins className={styles.new} aria-label={t('preview.new')}>
        <Value value={field.new} />
      </ins>
    </>
  );
}

function Value({ value }: { value: Json }) {
  const { t } = useTranslation();
  return shown(value) ?? t('preview.empty');
}

/** A field as a person reads it, with the part that it belongs to. */
export function useName(view: ImportView, path: string): string {
  const { i18n } = useTranslation();
  const { field, part } = split(path);
  const name = fieldName(view.fields, field, i18n.language);
  return part === null ? name : `${name} (${part})`;
}
