import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { operationName, useFormats } from '@/base/useFormats';
import type { RequestView } from '@/ipc/bindings';
import styles from './side.module.css';

type Props = { requests: RequestView[]; total: number };

/** The latest requests, newest first, with their responses. */
export function RequestsTab({ requests, total }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  return (
    <>
      {requests.length === 0 && <p className={styles.empty}>{t('requests.empty')}</p>}
      <ul className={styles.list} aria-label={t('side.requests')} tabIndex={0} data-testid="plant-requests">
        {requests.map((request) => (
          <RequestRow key={request.number} request={request} />
        ))}
      </ul>
      {total > 0 && <p className={styles.foot}>{t('requests.total', { count: total, shown: number(total) })}</p>}
    </>
  );
}

function RequestRow({ request }: { request: RequestView }) {
  const { t } = useTranslation();
  const { name, number, timeOfDay } = useFormats();
  const operations = useOperations();
  const { operation, status, items, applied, fault, user } = request;
  const signIn = operation?.startsWith('connect/') ?? false;
  const title = signIn ? t('requests.signIn') : operation ? operationName(operations, operation, name) : t('requests.unknown');
  return (
    <li className={styles.entry}>
      <div className={styles.text}>
        <p className={styles.head}>
          <span className={styles.status} data-tone={statusTone(status)}>
            {status ?? t('requests.none')}
          </span>
          <b className={styles.cut}>{title}</b>
          <time className={styles.when}>{timeOfDay(request.at)}</time>
        </p>
        <p className={styles.path} title={request.path}>
          {request.method} {request.path}
        </p>
        {(user !== null || items > 0 || fault !== null) && (
          <p className={styles.small}>
            {user && <span>{user}</span>}
            {items > 0 && <span>{t('requests.applied', { applied: number(applied), items: number(items) })}</span>}
            {fault && (
              <span className={styles.faulty}>
                <span aria-hidden>▲</span> {fault}
              </span>
            )}
          </p>
        )}
      </div>
    </li>
  );
}

function statusTone(status: number | null): string {
  if (status === null || status >= 500) return 'bad';
  return status >= 400 ? 'doubt' : 'good';
}
