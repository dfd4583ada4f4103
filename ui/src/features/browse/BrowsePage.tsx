import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { type BrowsePlace, useNavigation } from '../../app/navigation';
import { useOperations, useSite } from '../../app/state';
import { PageFrame } from '../../components/PageFrame';
import { SignInPanel } from '../sign-in/SignInPanel';
import { OperationList } from './OperationList';
import { Reading } from './Reading';
import styles from './browse.module.css';

/** What the service holds: every read operation of the contract as a table. */
export function BrowsePage({ place }: { place: BrowsePlace }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const site = useSite();
  const reads = useOperations().filter((one) => one.kind === 'read');
  const [last, setLast] = useState(place.operation);
  const operation = reads.find((one) => one.id === (place.operation ?? last));
  const visit = useVisit(place);
  const choose = (id: string) => {
    setLast(id);
    go({ page: 'browse', operation: id });
  };
  return (
    <div className={styles.frame}>
      <OperationList operations={reads} chosen={operation?.id} choose={choose} />
      <div className={styles.side}>
        {operation && site?.signedIn ? (
          <Reading
            key={`${site.site.name}·${operation.id}·${visit}`}
            operation={operation}
            given={place.parameters}
            find={place.find}
          />
        ) : (
          <PageFrame title={t('browse.title')}>
            {site && !site.signedIn ? <SignInPanel why={t('browse.signInFirst')} /> : <p>{t('browse.choose')}</p>}
          </PageFrame>
        )}
      </div>
    </div>
  );
}

/** Counts the times that somebody was sent here with filters: each begins anew, with those. */
function useVisit(place: BrowsePlace): number {
  const [seen, setSeen] = useState({ place, visit: 0 });
  const visit = seen.place !== place && (place.parameters ?? place.find) !== undefined ? seen.visit + 1 : seen.visit;
  if (seen.place !== place) setSeen({ place, visit });
  return visit;
}
