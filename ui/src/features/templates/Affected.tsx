import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { useSite } from '../../app/state';
import { ProblemNote } from '../../components/ProblemNote';
import { commands } from '../../ipc/bindings';
import { toProblem } from '../../ipc/problem';
import styles from './templates.module.css';

/** So many are named; the others are counted. */
const named = 8;

/** Which work orders are made by the templates whose links are deleted. */
export function Affected({ templates }: { templates: number[] }) {
  const { t } = useTranslation();
  const site = useSite()?.site.name ?? '';
  const found = useQuery({
    queryKey: ['affected', site, templates],
    queryFn: () => commands.linksAffected(templates),
    gcTime: 0,
    retry: false,
  });
  if (found.error) return <ProblemNote problem={toProblem(found.error)} quiet />;
  if (!found.data) {
    return (
      <p className="muted" role="status">
        {t('links.affectedBusy')}
      </p>
    );
  }
  const { orders, total, whole } = found.data;
  return (
    <div role="status" data-testid="affected">
      <p className={styles.affected} data-testid="affected-count">
        {total === 0 ? t('links.affectedNone') : t('links.affected', { count: total })}
      </p>
      {total > 0 && (
        <ul className={styles.orders}>
          {orders.slice(0, named).map((order) => (
            <li key={order.key}>
              <code>{order.key}</code>
            </li>
          ))}
          {total > named && <li className="muted">…</li>}
        </ul>
      )}
      {!whole && <p className="muted small">{t('links.affectedMore')}</p>}
    </div>
  );
}
