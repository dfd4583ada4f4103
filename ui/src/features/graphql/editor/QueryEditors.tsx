import { QueryEditor, VariableEditor } from '@graphiql/react';
import { useTranslation } from 'react-i18next';

import styles from '../common/graphql.module.css';

/** What is asked: the query, and under it its variables. */
export function QueryEditors() {
  const { t } = useTranslation();
  return (
    <section className={styles.asked} aria-label={t('graphql.asked')}>
      <div className={styles.query} data-testid="graphql-query">
        <QueryEditor role="group" aria-label={t('graphql.query')} />
      </div>
      <h2 className={styles.caption}>{t('graphql.variables')}</h2>
      <div className={styles.variables} data-testid="graphql-variables">
        <VariableEditor role="group" aria-label={t('graphql.variables')} />
      </div>
    </section>
  );
}
