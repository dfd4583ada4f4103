import { useTranslation } from 'react-i18next';

import { useAppState } from '@/base/appState';
import type { ContractVersion, Operation } from '@/ipc/bindings';
import styles from './common/contract.module.css';

type Props = { site: string; operations: Operation[]; versions: ContractVersion[] };

/** The way from a new site to the first row, in the order in which it works best. */
const STEPS = ['document', 'signIn', 'answers', 'assumed', 'trial'] as const;

/** What an integrator does to connect a site, and what of it is done. It is open until the site says something itself. */
export function ConnectGuide({ site, operations, versions }: Props) {
  const { t } = useTranslation();
  const { data } = useAppState();
  const has = (level: string) => operations.some(({ provenance }) => provenance.level === level);
  const taken = Boolean(versions[0]?.source);
  const done: Partial<Record<(typeof STEPS)[number], boolean>> = {
    document: taken && has('site'),
    signIn: data?.sites.some((view) => view.site.name === site && view.signedIn) ?? false,
    answers: has('observed'),
    assumed: !has('assumed'),
  };
  return (
    <details className={styles.guide} open={!taken} data-testid="contract-guide">
      <summary>{t('contract.guide.title')}</summary>
      <ol>
        {STEPS.map((step) => (
          <li key={step} data-done={done[step] ?? false} data-testid={`guide-${step}`}>
            {t(`contract.guide.${step}`)} {done[step] && <span className="muted small">{t('contract.guide.done')}</span>}
          </li>
        ))}
      </ol>
    </details>
  );
}
