import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { ImportView, PreviewField, Value as Json } from '@/ipc/bindings';
import { fieldName } from '../common/fieldNames';
import { shown, split } from './previewKinds';
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

/** Old and new; of what is created the new one alone. */
export function Values({ view, field, created = false }: Props) {
  const { t } = useTranslation();
  const { field: path } = split(field.field);
  const kind = view.fields.find((one) => one.path === path)?.kind ?? null;
  return (
    <>
      {!created && (
        <>
          <del className={styles.old} aria-label={t('preview.old')}>
            <Value value={field.old} kind={kind} />
          </del>{' '}
        </>
      )}
      <ins className={styles.new} aria-label={t('preview.new')}>
        <Value value={field.new} kind={kind} />
      </ins>
    </>
  );
}

function Value({ value, kind }: { value: Json; kind: string | null }) {
  const { t } = useTranslation();
  const { decimal, serviceTime } = useFormats();
  return shown(value, kind, { yes: t('common.yes'), no: t('common.no'), decimal, serviceTime }) ?? t('preview.empty');
}

/** A field as a person reads it, with the part that it belongs to. */
export function useName(view: ImportView, path: string): string {
  const { i18n } = useTranslation();
  const { field, part } = split(path);
  const name = fieldName(view.fields, field, i18n.language);
  return part === null ? name : `${name} (${part})`;
}
