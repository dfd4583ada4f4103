import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type ContractDifferences, type ContractVersion, type Operation, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { AssumptionDifferences } from './AssumptionDifferences';
import { Differences } from './Differences';
import { useContractChange } from './useContractChange';
import { useVersionText } from './useVersionText';
import styles from './common/contract.module.css';

type VersionRowProps = { site: string; version: ContractVersion; current: number; operations: Operation[]; busy: boolean; restore: () => void };

/** An earlier version with its differences from the one in force. It can be restored. */
function VersionRow({ site, version, current, operations, busy, restore }: VersionRowProps) {
  const { t } = useTranslation();
  const versionText = useVersionText();
  const [unfolded, setUnfolded] = useState(false);
  const comparison = useQuery({
    queryKey: queryKeys.contractComparison(site, version.number, current),
    queryFn: () => commands.contractCompare(site, version.number, current),
    enabled: unfolded,
  });
  return (
    <li data-testid={`contract-version-${version.number}`}>
      <div className={styles.version}>
        <span>{versionText(version)}</span>
        <Group gap={4}>
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={() => setUnfolded(!unfolded)}
            aria-expanded={unfolded}
            loading={comparison.isLoading}
            data-testid={`contract-compare-${version.number}`}
          >
            {t('contract.compare')}
          </Button>
          <Button size="compact-sm" variant="subtle" onClick={restore} disabled={busy} data-testid={`contract-restore-${version.number}`}>
            {t('contract.restore')}
          </Button>
        </Group>
      </div>
      {unfolded && comparison.error && <ProblemNote problem={toProblem(comparison.error)} />}
      {unfolded && comparison.data && <VersionComparison version={version.number} differences={comparison.data} operations={operations} />}
    </li>
  );
}

function VersionComparison({ version, differences, operations }: { version: number; differences: ContractDifferences; operations: Operation[] }) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const findOperation = (id: string) => operations.find((operation) => operation.id === id);
  const headings = { before: t('contract.compared', { number: version }), after: t('contract.current') };
  if (differences.operations.length + differences.assumptions.length === 0) return <p className="muted">{t('contract.compareSame')}</p>;
  return (
    <div className={styles.unfolded} data-testid={`contract-comparison-${version}`}>
      {differences.operations.map((difference) => {
        const operation = findOperation(difference.id);
        return (
          <section key={difference.id}>
            <h3>{operation ? name(operation) : difference.id}</h3>
            <Differences difference={difference} operation={operation} headings={headings} />
          </section>
        );
      })}
      <AssumptionDifferences differences={differences.assumptions} headings={headings} />
    </div>
  );
}

/** Version number of the built-in contract. */
const BUILTIN_VERSION = 0;

/** All versions, newest first. Restoring one creates a new version, so it can be undone the same way. */
export function ContractVersions({ site, versions, operations }: { site: string; versions: ContractVersion[]; operations: Operation[] }) {
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
          onClick={() => restore.mutate(BUILTIN_VERSION)}
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
            restore={() => restore.mutate(version.source ? version.number : BUILTIN_VERSION)}
          />
        ))}
      </ul>
    </section>
  );
}
