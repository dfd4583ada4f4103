import { Button, Group, JsonInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { Provenance } from '@/components/marks/Provenance';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type Assumption, type Value, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { useContractChange } from './useContractChange';
import styles from './common/contract.module.css';

/** What is decided for the service as a whole, where its specification is silent, and what the site says instead. */
export function GlobalAssumptions({ site }: { site: string }) {
  const { t } = useTranslation();
  const { data, error } = useQuery({ queryKey: queryKeys.contractAssumptions(site), queryFn: () => commands.contractAssumptions(site) });
  return (
    <section className={styles.section} aria-labelledby="contract-assumptions">
      <h2 id="contract-assumptions">{t('contract.assumptions.title')}</h2>
      <p className="muted small">{t('contract.assumptions.hint')}</p>
      {error && <ProblemNote problem={toProblem(error)} />}
      <div className={styles.wide} role="group" aria-labelledby="contract-assumptions" tabIndex={0}>
        <table className={styles.table} aria-labelledby="contract-assumptions">
          <thead>
            <tr>
              <th scope="col">{t('contract.assumptions.subject')}</th>
              <th scope="col">{t('contract.assumptions.decision')}</th>
              <th scope="col">{t('contract.columns.level')}</th>
              <th scope="col">{t('contract.columns.edit')}</th>
            </tr>
          </thead>
          <tbody>{data?.map((one) => <AssumptionRow key={one.id} site={site} assumption={one} />)}</tbody>
        </table>
      </div>
    </section>
  );
}

function AssumptionRow({ site, assumption }: { site: string; assumption: Assumption }) {
  const { t } = useTranslation();
  const { id, subject, decision, value, provenance } = assumption;
  const [draft, setDraft] = useState<string | null>(null);
  const save = useContractChange(
    (text: string) => commands.contractReplaceAssumptions(site, [{ id, value: JSON.parse(text) as Value }]),
    () => setDraft(null),
  );
  const written = value === null ? null : JSON.stringify(value, null, 2);
  return (
    <tr data-testid={`assumption-${id}`} data-level={provenance.level}>
      {/* The words of the contract are English. */}
      <th scope="row" lang="en">
        <Provenance of={{ provenance }}>{subject}</Provenance>
      </th>
      <td className={styles.words}>
        <span lang="en">{decision}</span>
        {draft === null && written !== null && <code className={styles.value}>{JSON.stringify(value)}</code>}
        {draft !== null && (
          <>
            <JsonInput
              label={t('contract.assumptions.value')}
              value={draft}
              onChange={setDraft}
              error={isJson(draft) ? undefined : t('contract.assumptions.noJson')}
              rows={6}
              data-testid={`assumption-value-${id}`}
            />
            {save.error && <ProblemNote problem={toProblem(save.error)} />}
            <Group gap={8}>
              <Button size="compact-sm" onClick={() => save.mutate(draft)} disabled={!isJson(draft)} loading={save.isPending} data-testid={`assumption-save-${id}`}>
                {t('contract.assumptions.save')}
              </Button>
              <Button size="compact-sm" variant="default" onClick={() => setDraft(null)}>
                {t('common.cancel')}
              </Button>
            </Group>
          </>
        )}
      </td>
      <td className={styles.level} data-level={provenance.level}>
        {t(`contract.levels.${provenance.level}`)}
      </td>
      <td>
        {written !== null && draft === null && (
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={() => setDraft(written)}
            aria-label={t('contract.assumptions.edit', { subject })}
            data-testid={`assumption-edit-${id}`}
          >
            {t('contract.edit')}
          </Button>
        )}
      </td>
    </tr>
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
