import { useTranslation } from 'react-i18next';

import { ruleFaultText } from '@/base/engineWords';
import { useFormats } from '@/base/useFormats';
import sectionStyles from '@/components/page/section.module.css';
import { AnswerMark } from '@/features/answers';
import type { EventAnswer, EventDetail } from '@/ipc/bindings';
import styles from '../common/events.module.css';

/** What was answered to an event that asked, and why. */
export function AnswerSection({ event }: { event: EventDetail }) {
  const { t } = useTranslation();
  if (!event.answer) return null;
  return (
    <section data-testid="event-answer">
      <h2 className={sectionStyles.sectionTitle}>{t('answers.answer')}</h2>
      <p>
        <AnswerMark allowed={event.answer.allowed} by={event.answer.by} />
      </p>
      {[...new Set(event.answer.errors)].map((error) => (
        <blockquote key={error} className={styles.told}>
          {error}
        </blockquote>
      ))}
      <Reasons answer={event.answer} />
    </section>
  );
}

function Reasons({ answer }: { answer: EventAnswer }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  return (
    <dl className={styles.pairs}>
      {answer.spoke.map((rule) => (
        <Pair key={rule.name} name={rule.name} value={rule.when} mono />
      ))}
      {answer.failed.map((rule) => (
        <Pair key={`failed ${rule.name}`} name={rule.name} value={`▲ ${ruleFaultText(rule.fault)}`} />
      ))}
      <Pair name={t('answers.took')} value={t('answers.milliseconds', { amount: number(answer.milliseconds) })} />
      <Pair name={t('answers.edition')} value={answer.version === 0 ? t('answers.noRules') : number(answer.version)} />
    </dl>
  );
}

function Pair({ name, value, mono = false }: { name: string; value: string; mono?: boolean }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className={mono ? styles.cel : undefined}>{value}</dd>
    </>
  );
}
