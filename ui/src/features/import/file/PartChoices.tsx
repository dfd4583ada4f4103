import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { useFormats } from '@/base/useFormats';
import { Choice } from '@/components/controls/Choice';
import { useImport } from '@/features/import-session';
import { type ImportView, type StepPart, commands } from '@/ipc/bindings';

const MOST = 3;

/** Which other sheet's items the rows could be parts of. */
export function PartChoices({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const { apply } = useImport();
  const operations = useOperations();
  const own = view.steps.find((step) => step.sheet === view.sheet)?.part ?? null;
  const listName = (part: StepPart) => {
    const operation = view.steps.find((step) => step.sheet === part.of)?.operation;
    const fields = operations.find((one) => one.id === operation)?.request?.fields ?? [];
    const list = fields.find((field) => field.name === part.list);
    return list ? name(list) : part.list;
  };
  return view.parts.slice(0, MOST).map(({ part }) => (
    <Choice
      key={`${part.of} ${part.list}`}
      name="operation"
      checked={own?.of === part.of && own.list === part.list}
      choose={() => void apply(commands.importPart(view.id, part))}
      testId={`part-${part.of}-${part.list}`}
    >
      <span>{t('plan.part', { sheet: part.of, list: listName(part) })}</span>
    </Choice>
  ));
}
