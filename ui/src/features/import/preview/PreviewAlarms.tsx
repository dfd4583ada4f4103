import { useTranslation } from 'react-i18next';

import { alarmText } from '@/base/engineWords';
import { useFormats } from '@/base/useFormats';
import { SeveritySign } from '@/components/marks/StatusMarks';
import type { ImportView, PreviewStep } from '@/ipc/bindings';
import { fieldName } from '../common/fieldNames';
import styles from './preview.module.css';

/** Alarms about all rows together, even if each row is fine. */
export function PreviewAlarms({ view, step }: { view: ImportView; step: PreviewStep }) {
  const { i18n } = useTranslation();
  const { number } = useFormats();
  if (step.alarms.length === 0) return null;
  return (
    <div role="alert" data-testid="preview-alarms">
      <ul className={styles.alarms}>
        {step.alarms.map((alarm) => (
          <li key={`${alarm.kind}·${alarm.field}`} data-testid={`alarm-${alarm.kind}`} data-field={alarm.field}>
            <SeveritySign severity={alarm.kind === 'dates-moved' ? 'note' : 'warning'} named />
            <span>{alarmText({ ...alarm, field: fieldName(view.fields, alarm.field, i18n.language) }, number)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
