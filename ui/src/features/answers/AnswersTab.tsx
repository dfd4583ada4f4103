import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { EventTabProps } from '@/base/navigation';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { PageFrame } from '@/components/page/PageFrame';
import { commands } from '@/ipc/bindings';
import { Defaults } from './Defaults';
import { Examples } from './Examples';
import { FileButtons } from './FileButtons';
import { Introduction } from './Introduction';
import { RuleEditor } from './RuleEditor';
import { RuleList } from './RuleList';
import { Trial } from './Trial';
import { type Draft, useRules } from './useRules';
import styles from './answers.module.css';

/** The rules by which events that ask are answered: written, tried on past events, put in force. */
export function AnswersTab({ title, actions }: EventTabProps) {
  const draft = useRules();
  return (
    <PageFrame
      title={title}
      action={
        <>
          {draft && <FileButtons draft={draft} />}
          {draft && <InForce draft={draft} />}
          {actions}
        </>
      }
      filter={<Introduction />}
    >
      {draft && <Rules draft={draft} />}
    </PageFrame>
  );
}

function Rules({ draft }: { draft: Draft }) {
  const [chosen, choose] = useState(0);
  const at = Math.min(chosen, draft.rules.rules.length - 1);
  return (
    <div className={styles.page} data-testid="answers">
      <div className={styles.left}>
        <RuleList draft={draft} at={at} choose={choose} />
        <Defaults draft={draft} />
      </div>
      <div className={styles.right}>
        {draft.rules.rules.length === 0 ? (
          <Examples draft={draft} choose={choose} />
        ) : (
          <>
            <RuleEditor draft={draft} at={at} choose={choose} />
            <Trial draft={draft} />
          </>
        )}
      </div>
    </div>
  );
}

/** What is written takes effect only by this, and only after it was tried. */
function InForce({ draft }: { draft: Draft }) {
  const { t } = useTranslation();
  const [busy, setBusy] = useState(false);
  const { rules, checks, checked, dirty, restore } = draft;
  const on = rules.rules.flatMap((rule, at) => (rule.on ? [checks[at]] : []));
  const faulty = on.some((check) => check?.faults.some((fault) => fault.error));
  const untried = on.some((check) => !check?.tried);
  const save = () => {
    setBusy(true);
    commands
      .rulesSave(rules)
      .then(restore)
      .catch(showProblemNotice)
      .finally(() => setBusy(false));
  };
  return (
    <span className={styles.force}>
      {dirty && <span className="muted small">{t(faulty ? 'answers.faulty' : untried ? 'answers.untried' : 'answers.ready')}</span>}
      {dirty && (
        <Button variant="default" onClick={() => void restore().catch(showProblemNotice)} data-testid="answers-restore">
          {t('answers.restore')}
        </Button>
      )}
      <Button onClick={save} loading={busy} disabled={!dirty || !checked || faulty || untried} data-testid="answers-save">
        {t('answers.save')}
      </Button>
    </span>
  );
}
