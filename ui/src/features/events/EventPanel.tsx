import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { useFormats } from '../../app/useFormats';
import { DetailPanel } from '../../components/DetailPanel';
import { ProblemNote } from '../../components/ProblemNote';
import { type EventLine, commands } from '../../ipc/bindings';
import { toProblem } from '../../ipc/problem';
import { actions, sections } from './sections';
import styles from './events.module.css';

type Props = { id: number; close: () => void };

/** One event, section by section. */
export function EventPanel({ id, close }: Props) {
  const { t } = useTranslation();
  const title = useEventTitle();
  const { data, error } = useQuery({
    queryKey: ['event', id],
    queryFn: () => commands.eventGet(id),
    gcTime: 0,
    retry: false,
    placeholderData: (before) => before,
  });
  return (
    <DetailPanel title={data ? title(data.line) : t('inbox.detail')} close={close}>
      {error && <ProblemNote problem={toProblem(error)} quiet />}
      {data && actions.length > 0 && (
        <div className={styles.tools}>
          {actions.map(({ id: action, Content }) => (
            <Content key={action} event={data} />
          ))}
        </div>
      )}
      {data && sections.map(({ id: section, Content }) => <Content key={section} event={data} />)}
    </DetailPanel>
  );
}

/** What an event is called: by the contract, else by the service's number. */
export function useEventTitle(): (line: EventLine) => string {
  const { t } = useTranslation();
  const { name } = useFormats();
  return ({ names, kind }) => {
    if (names) return name({ names });
    return kind === null ? t('inbox.noKind') : t('inbox.unknownKind', { kind });
  };
}
