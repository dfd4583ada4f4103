import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { FieldDifference, FieldState, Operation, OperationDifference } from '@/ipc/bindings';
import { findField } from './findField';
import { partKind } from './partKind';
import styles from './common/contract.module.css';

type Props = {
  difference: OperationDifference;
  operation: Operation | undefined;
  /** Column headings for other comparisons than a document's preview. */
  headings?: { before: string; after: string };
};

/** Lists an operation's changes with old and new values. Confirmed fields are only counted. */
export function Differences({ difference, operation, headings }: Props) {
  const { t } = useTranslation();
  const changed = difference.fields.filter(({ kind }) => kind !== 'confirmed');
  const confirmed = difference.fields.filter(({ kind }) => kind === 'confirmed');
  return (
    <div data-testid={`differences-${difference.id}`}>
      {(difference.parts.length > 0 || changed.length > 0) && (
        <table className={styles.details} aria-label={t('contract.fields')}>
          <thead>
            <tr>
              <th scope="col">{t('contract.columns.field')}</th>
              <th scope="col">{t('contract.columns.change')}</th>
              <th scope="col">{headings?.before ?? t('contract.columns.before')}</th>
              <th scope="col">{headings?.after ?? t('contract.columns.after')}</th>
            </tr>
          </thead>
          <tbody>
            {difference.parts.map((part) => (
              <tr key={part.part}>
                <th scope="row">{t(`contract.parts.${part.part}`)}</th>
                <td>{t(`contract.kinds.${partKind(part)}`)}</td>
                <td>{part.before && <code>{part.before}</code>}</td>
                <td>{part.after && <code>{part.after}</code>}</td>
              </tr>
            ))}
            {changed.map((field) => (
              <FieldRow key={`${field.place} ${field.path}`} field={field} operation={operation} />
            ))}
          </tbody>
        </table>
      )}
      {confirmed.length > 0 && (
        <p className="muted small">
          {t('contract.confirmedFields', { names: [...new Set(confirmed.map(({ path }) => path))].join(', ') })}
        </p>
      )}
    </div>
  );
}

function FieldRow({ field, operation }: { field: FieldDifference; operation: Operation | undefined }) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const known = operation && findField(operation, field.place, field.path);
  return (
    <tr data-testid={`difference-${field.place}-${field.path}`}>
      <th scope="row">
        {known ? name(known) : <code>{field.path}</code>} <span className="muted small">{t(`contract.places.${field.place}`)}</span>
      </th>
      <td>{t(`contract.kinds.${field.kind}`)}</td>
      <td>{field.before && <FieldStateText state={field.before} other={field.after} />}</td>
      <td>{field.after && <FieldStateText state={field.after} other={field.before} />}</td>
    </tr>
  );
}

/** A field's name and type. With another state, only members that differ from it are shown. */
function FieldStateText({ state, other }: { state: FieldState; other: FieldState | null }) {
  const { t } = useTranslation();
  const differs = (member: 'kind' | 'required' | 'form') => !other || other[member] !== state[member];
  const words = [
    differs('kind') && t(`contract.types.${state.kind}`),
    differs('required') && t(state.required ? 'contract.required' : 'contract.optional'),
  ].filter(Boolean);
  const formText = state.form ? t(`contract.forms.${state.form}`) : other && t('contract.asBuiltIn');
  const form = differs('form') && formText;
  return (
    <>
      <code>{state.name}</code> {[...words, form].filter(Boolean).join(' · ')}
    </>
  );
}
