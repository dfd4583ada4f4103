import { useTranslation } from 'react-i18next';

import { KindMark } from '@/components/marks/KindMark';
import { DetailPanel } from '@/components/page/DetailPanel';
import type { ImportView, PreviewField, PreviewRow } from '@/ipc/bindings';
import { ErrorTexts } from './ErrorTexts';
import { asHeld, useName, Values } from './FieldChange';
import styles from './preview.module.css';

/** Everything that would change of one row. */
export function PreviewDetail({ view, row, deletes, close }: { view: ImportView; row: PreviewRow; deletes: boolean; close: () => void }) {
  const { t } = useTranslation();
  return (
    <DetailPanel title={t('submission.rowTitle', { sheet: row.sheet, row: row.row })} close={close}>
      <p className={styles.who}>
        <KindMark kind={row.kind} deletes={deletes} /> <code>{row.key}</code>
      </p>
      {row.reason !== null && <p>{row.reason}</p>}
      {row.kind === 'new' && <p className="muted">{t('preview.willCreate')}</p>}
      {row.errors.length > 0 && (
        <>
          <p className="muted">{t('preview.noSend')}</p>
          <div className={styles.wrapped}>
            <ErrorTexts errors={row.errors} fields={view.fields} />
          </div>
        </>
      )}
      <dl className={styles.fields}>
        {row.fields.map((field) => (
          <Entry key={field.field} view={view} field={deletes ? asHeld(field) : field} created={deletes || row.kind === 'new'} />
        ))}
      </dl>
    </DetailPanel>
  );
}

function Entry({ view, field, created }: { view: ImportView; field: PreviewField; created: boolean }) {
  const { t } = useTranslation();
  const name = useName(view, field.field);
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <Values view={view} field={field} created={created} />
        {field.conflict && <span className={styles.why}>{t(`preview.why.${field.conflict}`)}</span>}
      </dd>
    </>
  );
}
