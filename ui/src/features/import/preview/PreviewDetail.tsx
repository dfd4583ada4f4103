import { useTranslation } from 'react-i18next';

import { DetailPanel } from '@/components/page/DetailPanel';
import type { ImportView, PreviewField, PreviewRow } from '@/ipc/bindings';
import { useName, Values } from './FieldChange';
import { KindMark } from './KindMark';
import styles from './preview.module.css';

/** Everything that would change of one row. */
export function PreviewDetail({ view, row, close }: { view: ImportView; row: PreviewRow; close: () => void }) {
  const { t } = useTranslation();
  return (
    <DetailPanel title={t('submission.rowTitle', { sheet: row.sheet, row: row.row })} close={close}>
      <p className={styles.who}>
        <KindMark kind={row.kind} /> <code>{row.key}</code>
      </p>
      <dl className={styles.fields}>
        {row.fields.map((field) => (
          <Entry key={field.field} view={view} field={field} />
        ))}
      </dl>
    </DetailPanel>
  );
}

function Entry({ view, field }: { view: ImportView; field: PreviewField }) {
  const { t } = useTranslation();
  const name = useName(view, field.field);
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <Values view={view} field={field} />
        {field.conflict && <span className={styles.why}>{t(`preview.why.${field.conflict}`)}</span>}
      </dd>
    </>
  );
}
