import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { EmptyState } from '@/components/page/EmptyState';
import { commands } from '@/ipc/bindings';
import { useTemplateUse } from './useTemplateUse';
import styles from '../common/templates.module.css';

type Props = { site: string; read: (ids: string) => void };

/** The page before templates are loaded: the templates that orders use, those loaded before, and saved lists. Each loads at once. */
export function KnownIds({ site, read }: Props) {
  const { t } = useTranslation();
  const { number, dateTime } = useFormats();
  const { data: remembered } = useQuery({ queryKey: queryKeys.templateIdsOf(site), queryFn: () => commands.templateRemembered() });
  const { data: lists } = useQuery({ queryKey: queryKeys.templateLists(site), queryFn: () => commands.templateLists() });
  const use = useTemplateUse(site);
  const used = use.stored?.templates;
  return (
    <EmptyState
      picture="links"
      text={t('templates.empty')}
      action={
        <ul className={styles.known} aria-label={t('templates.known')}>
          {use.stored && used && used.count > 0 && (
            <li>
              <Button variant="default" onClick={() => read(used.text)} data-testid="read-used">
                {t(use.stored.complete ? 'templates.used' : 'templates.usedPart', {
                  count: used.count,
                  orders: number(use.stored.orders),
                  at: dateTime(use.stored.at),
                })}
              </Button>
            </li>
          )}
          {!use.stored && (
            <li>
              <Button variant="default" onClick={use.read} disabled={use.running} data-testid="find-used">
                {t('templates.readUse')}
              </Button>
            </li>
          )}
          {remembered && remembered.count > 0 && (
            <li>
              <Button variant="default" onClick={() => read(remembered.text)} data-testid="read-remembered">
                {t('templates.remembered', { count: remembered.count })}
              </Button>
            </li>
          )}
          {(lists ?? []).map((list) => (
            <li key={list.name}>
              <Button variant="default" onClick={() => read(list.ids)} data-testid="read-list">
                {list.name}
              </Button>
            </li>
          ))}
        </ul>
      }
    />
  );
}
