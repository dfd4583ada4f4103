import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { formatValue } from '@/base/values/previewFields';
import type { PreviewField, Value as Json } from '@/ipc/bindings';
import styles from './oldAndNewValue.module.css';

type Props = {
  field: PreviewField;
  /** The field's kind according to the contract, null if unknown. */
  kind: string | null;
  /** Whether the item is new. Then there is no old value. */
  isNew?: boolean;
};

/** Shows the old and the new value. A created item has only a new value. */
export function OldAndNewValue({ field, kind, isNew = false }: Props) {
  const { t } = useTranslation();
  return (
    <>
      {!isNew && (
        <>
          <del className={styles.old} aria-label={t('preview.old')}>
            <FormattedValue value={field.old} kind={kind} />
          </del>{' '}
        </>
      )}
      <ins className={styles.new} aria-label={t('preview.new')}>
        <FormattedValue value={field.new} kind={kind} />
      </ins>
    </>
  );
}

function FormattedValue({ value, kind }: { value: Json; kind: string | null }) {
  const { t } = useTranslation();
  const { decimal, serviceTime, duration } = useFormats();
  return formatValue(value, kind, { yes: t('common.yes'), no: t('common.no'), decimal, serviceTime, duration }) ?? t('preview.empty');
}
