import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { useAddRule } from './useAddRule';
import type { Draft } from './useRules';
import styles from './answers.module.css';

/** An expression within a reason is for whoever edits the rule. */
const plain = (reason: string | null) => reason?.replaceAll(/\{[^{}]*\}/gu, '…');

/** Rules that planners often want, for who has none yet. One that is taken is off until it was tried. */
export function Examples({ draft, choose }: { draft: Draft; choose: (at: number) => void }) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const { examples, example, reasonOf: told } = useAddRule(draft, choose);
  return (
    <section aria-labelledby="rule-examples">
      <header className={styles.head}>
        <h2 id="rule-examples">{t('answers.examples')}</h2>
      </header>
      <ul className={styles.list} data-testid="rule-examples">
        {examples.map((entry) => (
          <li key={entry.id} className={styles.rule}>
            <UnstyledButton className={styles.choose} onClick={() => example(entry)} data-testid={`take-${entry.id}`}>
              <span className={styles.name}>{name(entry)}</span>
              <span className="muted small">{plain(told(entry)) ?? t('answers.thenAllow')}</span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
