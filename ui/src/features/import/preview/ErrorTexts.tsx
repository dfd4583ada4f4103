import { useTranslation } from 'react-i18next';

import { findingText } from '@/base/engineTexts';
import { SeveritySign } from '@/components/marks/StatusMarks';
import type { FieldView, ItemError } from '@/ipc/bindings';
import { fieldName } from '../common/fieldNames';
import styles from './preview.module.css';

/** Lists the errors that keep a row from being sent, with their cells. */
export function ErrorTexts({ errors, fields }: { errors: ItemError[]; fields: FieldView[] }) {
  const { i18n } = useTranslation();
  return (
    <span className={styles.changes} data-testid="preview-errors">
      {errors.map(({ code, parameters }) => {
        const { place, field } = parameters;
        const values = field ? { ...parameters, field: fieldName(fields, field, i18n.language) } : parameters;
        const text = findingText({ code, parameters: values });
        return (
          <span key={`${code}·${place ?? ''}`} className={styles.error}>
            <SeveritySign severity="error" withLabel /> {place ? `${place}: ${text}` : text}
          </span>
        );
      })}
    </span>
  );
}
