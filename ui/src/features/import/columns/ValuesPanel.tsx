import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { SeveritySign } from '@/components/marks/StatusMarks';
import { DetailPanel } from '@/components/page/DetailPanel';
import { usePanel } from '@/components/page/usePanel';
import { useImport } from '@/features/import-session';
import { type FieldValue, type ImportView, commands } from '@/ipc/bindings';
import { fieldName } from '../common/fieldNames';
import styles from './columns.module.css';

type Props = { view: ImportView; field: string; close: () => void };

/** The distinct values of a field with their counts and replacements. */
export function ValuesPanel({ view, field, close }: Props) {
  const { t, i18n } = useTranslation();
  const { number } = useFormats();
  const panel = usePanel<HTMLDivElement>(close);
  const found = useQuery({
    queryKey: queryKeys.fieldValues(view, field),
    queryFn: () => commands.importValues(view.id, field),
    placeholderData: (before) => (before?.field === field ? before : undefined),
  });
  const values = found.data?.values ?? [];
  return (
    <DetailPanel title={t('columns.values.title', { field: fieldName(view.fields, field, i18n.language) })} close={close}>
      <div ref={panel} tabIndex={-1}>
        <p className="muted small">{t('columns.values.hint')}</p>
        <ul className={styles.values} data-testid="values">
          {values.map((value) => (
            <ValueRow key={value.text} id={view.id} field={field} value={value} />
          ))}
        </ul>
        {(found.data?.more ?? 0) > 0 && (
          <p className="muted small">{t('columns.values.more', { count: found.data?.more, shown: number(found.data?.more ?? 0) })}</p>
        )}
      </div>
    </DetailPanel>
  );
}

function ValueRow({ id, field, value }: { id: number; field: string; value: FieldValue }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { apply } = useImport();
  const setReplacement = (text: string) => {
    const to = text.trim() === '' ? null : text;
    if (to !== value.to) void apply(commands.importChange(id, { change: 'value', field, from: value.text, to }));
  };
  return (
    <li data-wrong={value.wrong !== null}>
      <span className={styles.valueText}>
        {value.wrong && <SeveritySign severity="error" />} {value.text}
        <span className="muted small number"> × {number(value.count)}</span>
        {value.wrong && <span className="muted small"> {t(`kinds.${value.wrong}`)}</span>}
      </span>
      <TextInput
        key={value.to ?? ''}
        aria-label={t('columns.values.instead', { value: value.text })}
        placeholder={t('columns.values.asItIs')}
        defaultValue={value.to ?? ''}
        onBlur={(event) => setReplacement(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && setReplacement(event.currentTarget.value)}
        size="xs"
        data-testid={`value-${value.text}`}
      />
    </li>
  );
}
