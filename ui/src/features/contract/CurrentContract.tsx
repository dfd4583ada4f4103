import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { ContractVersion, Operation, ProvenanceLevel } from '@/ipc/bindings';
import { useVersionText } from './useVersionText';
import styles from './common/contract.module.css';

type Props = { operations: Operation[]; versions: ContractVersion[]; isPractice: boolean };

/** The contract in force, and its share of statements by the site. */
export function CurrentContract({ operations, versions, isPractice }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const versionText = useVersionText();
  const [current] = versions;
  const count = (level: ProvenanceLevel) => number(operations.filter(({ provenance }) => provenance.level === level).length);
  return (
    <section className={styles.section} aria-labelledby="contract-current">
      <h2 id="contract-current">{t('contract.current')}</h2>
      <p data-testid="contract-current">{current ? versionText(current) : t(isPractice ? 'contract.practice' : 'contract.onlyBuiltin')}</p>
      <p className="muted" data-testid="contract-counts">
        {t('contract.counts', {
          count: operations.length,
          site: count('site'),
          observed: count('observed'),
          specified: count('specified'),
          assumed: count('assumed'),
        })}
      </p>
    </section>
  );
}
