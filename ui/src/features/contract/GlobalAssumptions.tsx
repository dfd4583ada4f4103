import { Button, Group, JsonInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { Provenance } from '@/components/marks/Provenance';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type Assumption, type Value, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { useAssumptionSubject } from './useAssumptionSubject';
import { useContractChange } from './useContractChange';
import styles from './common/contract.module.css';

/** Assumptions about the whole service, with the values that the site overrides. */
export function GlobalAssumptions({ site, isReadOnly }: { site: string; isReadOnly: boolean }) {
  const { t } = useTranslation();
  const { data, error } = useQuery({ queryKey: queryKeys.contractAssumptions(site), queryFn: () => commands.contractAssumptions(site) });
  return (
    <section className={styles.section} aria-labelledby="contract-assumptions">
      <h2 id="contract-assumptions">{t('contract.assumptions.title')}</h2>
      <p className="muted small">{t(isReadOnly ? 'contract.assumptions.practiceHint' : 'contract.assumptions.hint')}</p>
      {error && <ProblemNote problem={toProblem(error)} />}
      <div className={styles.wide} role="group" aria-labelledby="contract-assumptions" tabIndex={0}>
        <table className={styles.table} aria-labelledby="contract-assumptions">
          <thead>
            <tr>
              <th scope="col">{t('contract.assumptions.subject')}</th>
              <th scope="col">{t('contract.assumptions.decision')}</th>
              <th scope="col">{t('contract.columns.level')}</th>
              {!isReadOnly && <th scope="col">{t('contract.columns.edit')}</th>}
            </tr>
          </thead>
          <tbody>{data?.map((one) => <AssumptionRow key={one.id} site={site} assumption={one} isReadOnly={isReadOnly} />)}</tbody>
        </table>
      </div>
    </section>
  );
}

function AssumptionRow({ site, assumption, isReadOnly }: { site: string; assumption: Assumption; isReadOnly: boolean }) {
  const { t } = useTranslation();
  const { id, decision, value, provenance } = assumption;
  const subject = useAssumptionSubject(id, assumption.subject);
  const [draft, setDraft] = useState<string | null>(null);
  const save = useContractChange(
    (text: string) => commands.contractReplaceAssumptions(site, [{ id, value: JSON.parse(text) as Value }]),
    () => setDraft(null),
  );
  const written = value === null ? null : JSON.stringify(value, null, 2);
  return (
    <tr data-testid={`assumption-${id}`} data-level={provenance.level}>
      <th scope="row" lang={subject.lang}>
        <Provenance of={{ provenance }}>{subject.text}</Provenance>
      </th>
      <td className={styles.words}>
        {/* Decisions use the document's English names. */}
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
      {!isReadOnly && (
        <td>
          {written !== null && draft === null && (
            <Button
              size="compact-sm"
              variant="subtle"
              onClick={() => setDraft(written)}
              aria-label={t('contract.assumptions.edit', { subject: subject.text })}
              data-testid={`assumption-edit-${id}`}
            >
              {t('contract.edit')}
            </Button>
          )}
        </td>
      )}
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
