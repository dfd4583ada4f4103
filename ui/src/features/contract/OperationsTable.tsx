import { Button, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { OperationCall } from '@/components/marks/OperationCall';
import type { Field, Operation, Provenance } from '@/ipc/bindings';
import styles from './common/contract.module.css';

/** An operation's remaining assumptions in reading order: call, parameters, fields. */
type Assumptions = { operation: Operation; assumed: string[]; total: number };

type Statement = { name: string; provenance: Provenance };

export function assumptionsOf(operation: Operation): Assumptions {
  // Only statements that a site's contract can settle. Statuses and value limits come from the built-in contract.
  const statements = operation.statements.filter(({ about }) => about === 'method' || about === 'path' || about === 'schema');
  const call = statements.length > 0 ? statements.map(({ about, provenance }) => ({ name: about, provenance })) : [{ name: operation.path, provenance: operation.provenance }];
  const statementsToSettle = [...call, ...operation.parameters, ...flattenFields(operation.request?.fields), ...flattenFields(operation.answer?.fields)];
  const assumed = statementsToSettle.filter(({ provenance }) => provenance.level === 'assumed').map(({ name }) => name);
  return { operation, assumed: [...new Set(assumed)], total: new Set(statementsToSettle.map(({ name }) => name)).size };
}

/** Returns the operations with assumptions, fewest first. */
export function operationsWithAssumptions(operations: readonly Operation[]): Assumptions[] {
  const unsettled = operations.map(assumptionsOf).filter(({ assumed }) => assumed.length > 0);
  return unsettled.toSorted((one, other) => one.assumed.length - other.assumed.length);
}

function flattenFields(fields: readonly Field[] | undefined, before = ''): Statement[] {
  const all: Statement[] = [];
  for (const field of fields ?? []) {
    const name = `${before}${field.name}`;
    all.push({ name, provenance: field.provenance }, ...flattenFields(field.fields, `${name}.`));
  }
  return all;
}

/** Maximum number of listed names. The rest is counted. */
const MAX_NAMES = 4;

type Props = {
  operations: Operation[];
  /** Undefined if the contract is read-only. */
  edit: ((operation: string) => void) | undefined;
};

/** The operations with their provenance and remaining assumptions. */
export function OperationsTable({ operations, edit }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const [onlyAssumed, setOnlyAssumed] = useState(false);
  const open = operationsWithAssumptions(operations);
  const visibleRows = onlyAssumed ? open : operations.map(assumptionsOf);
  return (
    <section className={styles.section} aria-labelledby="contract-operations">
      <div className={styles.line}>
        <h2 id="contract-operations">{t('contract.operations')}</h2>
        <SegmentedControl
          size="xs"
          aria-labelledby="contract-operations"
          data={[
            { value: 'all', label: t('contract.all', { all: number(operations.length) }) },
            { value: 'assumed', label: t('contract.stillAssumed', { open: number(open.length) }) },
          ]}
          value={onlyAssumed ? 'assumed' : 'all'}
          onChange={(value) => setOnlyAssumed(value === 'assumed')}
          data-testid="contract-filter"
        />
      </div>
      {onlyAssumed && <p className="muted small">{t(open.length > 0 ? 'contract.assumedHint' : 'contract.nothingAssumed')}</p>}
      <div className={styles.wide} role="group" aria-labelledby="contract-operations" tabIndex={0}>
        <table className={styles.table} aria-labelledby="contract-operations">
          <thead>
            <tr>
              <th scope="col">{t('contract.columns.operation')}</th>
              <th scope="col">{t('contract.columns.call')}</th>
              <th scope="col">{t('contract.columns.level')}</th>
              <th scope="col">{t('contract.columns.assumed')}</th>
              {edit && <th scope="col">{t('contract.columns.edit')}</th>}
            </tr>
          </thead>
          <tbody>
            {visibleRows.map((one) => (
              <OperationRow key={one.operation.id} assumptions={one} edit={edit && (() => edit(one.operation.id))} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function OperationRow({ assumptions: { operation, assumed, total }, edit }: { assumptions: Assumptions; edit: (() => void) | undefined }) {
  const { t } = useTranslation();
  const { name, number } = useFormats();
  const rest = assumed.length - MAX_NAMES;
  return (
    <tr data-testid={`contract-operation-${operation.id}`} data-level={operation.provenance.level}>
      <th scope="row">{name(operation)}</th>
      <td>
        <OperationCall operation={operation} />
      </td>
      <td className={styles.level} data-level={operation.provenance.level}>
        {t(`contract.levels.${operation.provenance.level}`)}
        {operation.untried && <span className={styles.next}>{t('contract.untried')}</span>}
      </td>
      <td className={styles.words}>
        {assumed.length > 0 && (
          <>
            {t('contract.assumedOf', { assumed: number(assumed.length), all: number(total) })}{' '}
            <span className="muted small">
              {assumed.slice(0, MAX_NAMES).join(', ')}
              {rest > 0 && ` +${number(rest)}`}
            </span>
          </>
        )}
      </td>
      {edit && (
        <td>
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={edit}
            aria-label={t('contract.editTitle', { operation: name(operation) })}
            data-testid={`contract-edit-${operation.id}`}
          >
            {t('contract.edit')}
          </Button>
        </td>
      )}
    </tr>
  );
}
