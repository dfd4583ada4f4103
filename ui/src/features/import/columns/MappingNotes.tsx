import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { showProblemNotice } from '@/components/notices/problemNotice';
import { useImport } from '@/features/import-session';
import { type FieldView, type ImportView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { fieldName } from '../common/fieldNames';
import { JoinForm } from './JoinForm';
import styles from './columns.module.css';

/** The whole mapping: export, import, and the changes since its last use. */
export function MappingNotes({ view }: { view: ImportView }) {
  const { t, i18n } = useTranslation();
  const { apply } = useImport();
  const use = async () => {
    const taken = commands.importUseMapping(view.id, t('columns.file.useTitle'));
    await apply(taken.then((now) => now ?? view));
  };
  const save = async () => {
    try {
      const name = await commands.importSaveMapping(view.id, t('columns.file.saveTitle'), t('columns.file.name'));
      if (name) notifications.show({ message: t('columns.file.saved', { name }) });
    } catch (cause) {
      showProblemNotice(toProblem(cause));
    }
  };
  const constant = view.fields.filter((field) => field.constant !== null);
  const joined = view.fields.filter((field) => field.joined !== null);
  return (
    <section className={styles.notes} aria-label={t('columns.file.title')}>
      <div className={styles.files}>
        <Button size="compact-sm" variant="subtle" onClick={() => void use()}>
          {t('columns.file.use')}
        </Button>
        <Button size="compact-sm" variant="subtle" onClick={() => void save()}>
          {t('columns.file.save')}
        </Button>
      </div>
      {(view.changes.length > 0 || constant.length > 0 || joined.length > 0) && (
        <ul data-testid="mapping-notes">
          {view.changes.map((change) => (
            <li key={`${change.kind}·${change.heading}`}>
              {t(`columns.changes.${change.kind}`, { heading: change.heading, was: change.was ?? '' })}
            </li>
          ))}
          {constant.map((field) => (
            <li key={field.path}>
              {t('columns.constant.is', { field: fieldName(view.fields, field.path, i18n.language), text: field.constant })}
              <Button
                size="compact-xs"
                variant="subtle"
                onClick={() => void apply(commands.importChange(view.id, { change: 'constant', field: field.path, text: null }))}
              >
                {t('columns.extra.takeBack')}
              </Button>
            </li>
          ))}
          {joined.map((field) => (
            <JoinedNote key={field.path} view={view} field={field} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** A field joined from several columns, with buttons to edit or remove the join. */
function JoinedNote({ view, field }: { view: ImportView; field: FieldView }) {
  const { t, i18n } = useTranslation();
  const { apply } = useImport();
  const [changing, setChanging] = useState(false);
  if (!field.joined) return null;
  const { columns, headings, with: between } = field.joined;
  const apart = () => void apply(commands.importChange(view.id, { change: 'joined', field: field.path, columns: [], with: '' }));
  return (
    <li>
      {t('columns.extra.joined', { field: fieldName(view.fields, field.path, i18n.language), headings: headings.join(' + ') })}
      <Button size="compact-xs" variant="subtle" onClick={() => setChanging(!changing)} aria-expanded={changing} data-testid={`rejoin-${field.path}`}>
        {t('columns.join.change')}
      </Button>
      <Button size="compact-xs" variant="subtle" onClick={apart}>
        {t('columns.extra.takeBack')}
      </Button>
      {changing && <JoinForm view={view} field={field.path} columns={columns} between={between} done={() => setChanging(false)} />}
    </li>
  );
}
