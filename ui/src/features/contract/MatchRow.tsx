import { Button, Select, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { MatchCandidate, MatchTarget, Operation, OperationDifference, OperationMatch } from '@/ipc/bindings';
import { ChangeCounts } from './ChangeCounts';
import { Differences } from './Differences';
import { matchConfidence, targetText } from './matchConfidence';
import styles from './common/contract.module.css';

/** Maximum number of rendered options. Typing filters them. */
const MAX_OPTIONS = 200;
const NONE = '–';

type Props = {
  found: OperationMatch;
  operation: Operation | undefined;
  difference: OperationDifference | undefined;
  targets: { value: string; target: MatchTarget }[];
  busy: boolean;
  choose: (target: MatchTarget | null) => void;
};

/** One of Takt's operations and the matching operation of the document. */
export function MatchRow({ found, operation, difference, targets, busy, choose }: Props) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const [unfolded, setUnfolded] = useState(false);
  const title = operation ? name(operation) : found.operation;
  const taken = found.decision === 'matched' && found.best ? targetText(found.best) : found.decision === 'missing' ? NONE : null;
  const pick = (value: string | null) => {
    if (value && value !== taken) choose(targets.find((one) => one.value === value)?.target ?? null);
  };
  return (
    <>
      <tr data-testid={`match-${found.operation}`} data-decision={found.decision}>
        <th scope="row">{title}</th>
        <td className={styles.target}>
          <Select
            size="xs"
            w={340}
            aria-label={t('contract.targetOf', { operation: title })}
            placeholder={t('contract.chooseTarget')}
            data={[{ value: NONE, label: t('contract.none') }, ...targets.map(({ value }) => ({ value, label: value }))]}
            value={taken}
            onChange={pick}
            limit={MAX_OPTIONS}
            comboboxProps={{ keepMounted: false }}
            allowDeselect={false}
            disabled={busy}
            searchable
            data-testid={`target-${found.operation}`}
          />
        </td>
        <td>
          <MatchState found={found} busy={busy} choose={choose} />
        </td>
        <td>
          <ChangeCounts difference={difference} unfolded={unfolded} toggle={() => setUnfolded(!unfolded)} id={found.operation} />
        </td>
      </tr>
      {unfolded && difference && (
        <tr>
          <td colSpan={4} className={styles.unfolded}>
            <Differences difference={difference} operation={operation} />
          </td>
        </tr>
      )}
    </>
  );
}

/** The match's confidence and reasons, with alternatives if it is uncertain. */
function MatchState({ found, busy, choose }: Pick<Props, 'found' | 'busy' | 'choose'>) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const word = matchConfidence(found);
  const reasons = (found.best?.reasons ?? []).map((reason) => t(`contract.reasons.${reason}`)).join(', ');
  const offered = word === 'check' ? [found.best, found.runnerUp] : [];
  const percent = (score: number | null) => t('contract.percent', { percent: number(Math.round((score ?? 0) * 100)) });
  const why = (candidate: MatchCandidate) => t('contract.why', { percent: percent(candidate.score), reasons });
  const mark = (
    <span className={styles.match} data-match={word} tabIndex={word === 'missing' ? undefined : 0}>
      {t(`contract.match.${word}`)}
    </span>
  );
  return (
    <>
      {found.best && word !== 'missing' ? (
        <Tooltip label={word === 'chosen' ? reasons : why(found.best)} multiline maw={320} events={{ hover: true, focus: true, touch: false }}>
          {mark}
        </Tooltip>
      ) : (
        mark
      )}
      {offered.map(
        (candidate) =>
          candidate && (
            <Button
              key={targetText(candidate)}
              className={styles.offer}
              size="compact-xs"
              variant="subtle"
              onClick={() => choose({ method: candidate.method, path: candidate.path })}
              disabled={busy}
              data-testid={`offer-${found.operation}-${targetText(candidate)}`}
            >
              {t('contract.useTarget', { target: targetText(candidate) })}
            </Button>
          ),
      )}
      {word === 'likely' && found.runnerUp && (
        <span className={styles.next}>
          {t('contract.runnerUp', { target: targetText(found.runnerUp), percent: percent(found.runnerUp.score) })}
        </span>
      )}
    </>
  );
}
