import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import type { SingleAnswer } from '@/ipc/bindings';
import contract from '../common/contract.module.css';
import styles from './editor.module.css';

/** What a site answered once: how many rows were found, the first of them as Takt has it, and everything as it came. */
export function SingleAnswerView({ answer }: { answer: SingleAnswer }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  return (
    <div className={contract.section} data-testid="edit-answer">
      {answer.problem && <ProblemNote problem={answer.problem} />}
      {answer.rows !== null && (
        <p role="status" data-testid="edit-rows">
          {t('contract.rowsFound', { count: answer.rows, milliseconds: number(answer.milliseconds ?? 0) })}
        </p>
      )}
      {answer.firstRow && (
        <>
          <h3>{t('contract.firstRow')}</h3>
          <pre className={styles.answer} tabIndex={0} data-testid="edit-first-row">
            {answer.firstRow}
          </pre>
        </>
      )}
      {answer.body && (
        <>
          <h3>{t('contract.wholeAnswer')}</h3>
          <pre className={styles.answer} tabIndex={0} data-testid="edit-body">
            {answer.body}
          </pre>
          {answer.isCut && <p className="muted small">{t('contract.answerIsCut')}</p>}
        </>
      )}
    </div>
  );
}
