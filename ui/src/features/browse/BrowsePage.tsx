import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '../../app/navigation';
import { useOperations, useSite } from '../../app/state';
import { PageFrame } from '../../components/PageFrame';
import { SignInPanel } from '../sign-in/SignInPanel';
import { OperationList } from './OperationList';
import { Reading } from './Reading';
import styles from './browse.module.css';

/** What the service holds: every read operation of the contract as a table. */
export function BrowsePage({ operation: wanted }: { operation?: string | undefined }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const site = useSite();
  const reads = useOperations().filter((one) => one.kind === 'read');
  const [last, setLast] = useState(wanted);
  const operation = reads.find((one) => one.id === (wanted ?? last));
  const choose = (id: string) => {
    setLast(id);
    go({ page: 'browse', operation: id });
  };
  return (
    <div className={styles.frame}>
      <OperationList operations={reads} chosen={operation?.id} choose={choose} />
      <div className={styles.side}>
        {operation && site?.signedIn ? (
          <Reading key={`${site.site.name}·${operation.id}`} operation={operation} />
        ) : (
          <PageFrame title={t('browse.title')}>
            {site && !site.signedIn ? <SignInPanel why={t('browse.signInFirst')} /> : <p>{t('browse.choose')}</p>}
          </PageFrame>
        )}
      </div>
    </div>
  );
}
