import { useTranslation } from 'react-i18next';

import { ProblemNote } from '@/components/notices/ProblemNote';
import type { Problem, TemplatesView } from '@/ipc/bindings';
import styles from '../common/templates.module.css';

/** Lists missing IDs, and templates that couldn't be read, grouped by problem. */
export function ReadingProblems({ view, problem }: { view: TemplatesView | null; problem: Problem | null }) {
  const { t } = useTranslation();
  const absent = view?.absent ?? null;
  const unread = view?.unread ?? [];
  return (
    <>
      {absent !== null && absent.count > 0 && (
        <p className={styles.absent} title={absent.text} data-testid="templates-absent">
          {t('templates.absent', { count: absent.count, ids: absent.text })}
        </p>
      )}
      {(problem !== null || unread.length > 0) && (
        <div className={styles.troubles} role="region" aria-label={t('templates.troubles')} tabIndex={0}>
          {problem && <ProblemNote problem={problem} />}
          {unread.map((one) => (
            <section key={one.ids.text} className={styles.trouble}>
              <h2>{t('templates.notRead', { count: one.ids.count, ids: one.ids.text })}</h2>
              <ProblemNote problem={one.problem} />
            </section>
          ))}
        </div>
      )}
    </>
  );
}
