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
const NO_TARGET = '–';

type Props = {
  match: OperationMatch;
  operation: Operation | undefined;
  difference: OperationDifference | undefined;
  targets: { value: string; target: MatchTarget }[];
  busy: boolean;
  choose: (target: MatchTarget | null) => void;
};

/** One of Takt's operations and the matching operation of the document. */
export function OperationMatchRow({ match, operation, difference, targets, busy, choose }: Props) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const [unfolded, setUnfolded] = useState(false);
  const title = operation ? name(operation) : match.operation;
  const chosenTarget = match.decision === 'matched' && match.best ? targetText(match.best) : match.decision === 'missing' ? NO_TARGET : null;
  const handleChange = (value: string | null) => {
    if (value && value !== chosenTarget) choose(targets.find((one) => one.value === value)?.target ?? null);
  };
  return (
    <>
      <tr data-testid={`match-${match.operation}`} data-decision={match.decision}>
        <th scope="row">{title}</th>
        <td className={styles.target}>
          <Select
            size="xs"
            w={340}
            aria-label={t('contract.targetOf', { operation: title })}
            placeholder={t('contract.chooseTarget')}
            data={[{ value: NO_TARGET, label: t('contract.none') }, ...targets.map(({ value }) => ({ value, label: value }))]}
            value={chosenTarget}
            onChange={handleChange}
            limit={MAX_OPTIONS}
            comboboxProps={{ keepMounted: false }}
            allowDeselect={false}
            disabled={busy}
            searchable
            data-testid={`target-${match.operation}`}
          />
        </td>
        <td>
          <MatchState match={match} busy={busy} choose={choose} />
        </td>
        <td>
          <ChangeCounts difference={difference} unfolded={unfolded} toggle={() => setUnfolded(!unfolded)} id={match.operation} />
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
function MatchState({ match, busy, choose }: Pick<Props, 'match' | 'busy' | 'choose'>) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const confidence = matchConfidence(match);
  const reasons = (match.best?.reasons ?? []).map((reason) => t(`contract.reasons.${reason}`)).join(', ');
  const offered = confidence === 'check' ? [match.best, match.runnerUp] : [];
  const percent = (score: number | null) => t('contract.percent', { percent: number(Math.round((score ?? 0) * 100)) });
  const explain = (candidate: MatchCandidate) => t('contract.why', { percent: percent(candidate.score), reasons });
  const mark = (
    <span className={styles.match} data-match={confidence} tabIndex={confidence === 'missing' ? undefined : 0}>
      {t(`contract.match.${confidence}`)}
    </span>
  );
  return (
    <>
      {match.best && confidence !== 'missing' ? (
        <Tooltip label={confidence === 'chosen' ? reasons : explain(match.best)} multiline maw={320} events={{ hover: true, focus: true, touch: false }}>
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
              data-testid={`offer-${match.operation}-${targetText(candidate)}`}
            >
              {t('contract.useTarget', { target: targetText(candidate) })}
            </Button>
          ),
      )}
      {confidence === 'likely' && match.runnerUp && (
        <span className={styles.next}>
          {t('contract.runnerUp', { target: targetText(match.runnerUp), percent: percent(match.runnerUp.score) })}
        </span>
      )}
    </>
  );
}
