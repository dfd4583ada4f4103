import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { ProblemNote } from '@/components/notices/ProblemNote';
import { type ContractVersion, type Operation, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { useContractChange } from './useContractChange';
import { useVersionText } from './useVersionText';
import { VersionRow } from './VersionRow';
import styles from './common/contract.module.css';

/** Version number of the built-in contract. */
const BUILTIN = 0;

/** All versions, newest first. Restoring one creates a new version, so it can be undone the same way. */
export function Versions({ site, versions, operations }: { site: string; versions: ContractVersion[]; operations: Operation[] }) {
  const { t } = useTranslation();
  const versionText = useVersionText();
  const restore = useContractChange((number: number) => commands.contractRestore(site, number));
  const [current, ...earlier] = versions;
  if (!current) return null;
  return (
    <section className={styles.section} aria-labelledby="contract-versions">
      <div className={styles.line}>
        <h2 id="contract-versions">{t('contract.versions')}</h2>
        <Button
          size="xs"
          variant="default"
          onClick={() => restore.mutate(BUILTIN)}
          disabled={restore.isPending || !current.source}
          data-testid="contract-builtin"
        >
          {t('contract.backToBuiltin')}
        </Button>
      </div>
      {restore.error && <ProblemNote problem={toProblem(restore.error)} />}
      <ul className={styles.versions}>
        <li data-testid={`contract-version-${current.number}`}>
          <div className={styles.version}>
            <span>{versionText(current)}</span>
            <span className="muted">{t('contract.inForce')}</span>
          </div>
        </li>
        {earlier.map((version) => (
          <VersionRow
            key={version.number}
            site={site}
            version={version}
            current={current.number}
            operations={operations}
            busy={restore.isPending}
            restore={() => restore.mutate(version.source ? version.number : BUILTIN)}
          />
        ))}
      </ul>
    </section>
  );
}
