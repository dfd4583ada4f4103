import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { variableText } from '@/base/engineWords';
import { useFormats } from '@/base/useFormats';
import type { Field } from '@/ipc/bindings';
import { useRuleWords } from './useRules';
import styles from './answers.module.css';

/** The variables for the current time. */
const TIME_VARIABLES = ['now', 'local'];

type Props = { events: readonly number[]; insert: (word: string) => void };

/** Lists the variables of a rule. A click inserts one at the caret. */
export function Vocabulary({ events, insert }: Props) {
  const { t } = useTranslation();
  const words = useRuleWords();
  if (!words) return null;
  const kind = words.events.find(({ id }) => events.includes(id)) ?? words.events[0];
  const fields = kind?.fields ?? [];
  const order = fields.find((field) => field.name === words.order)?.fields ?? [];
  const local = words.variables.filter((variable) => variable.startsWith('local.'));
  return (
    <div className={styles.words} tabIndex={0} role="region" aria-label={t('answers.words')} data-testid="rule-words">
      <Group name="order" fields={order} insert={insert} open />
      <Group name="event" fields={fields.filter((field) => field.fields.length === 0)} insert={insert} />
      <details className={styles.group}>
        <summary>
          <code>{TIME_VARIABLES.join(', ')}</code>
        </summary>
        <Word word="now" meaning={variableText('now')} insert={insert} />
        {local.map((variable) => (
          <Word key={variable} word={variable} meaning={variableText(variable)} insert={insert} />
        ))}
      </details>
    </div>
  );
}

function Group({ name, fields, insert, open = false }: { name: string; fields: readonly Field[]; insert: Props['insert']; open?: boolean }) {
  const { name: named } = useFormats();
  return (
    <details className={styles.group} open={open}>
      <summary>
        <code>{name}</code> <span className="muted small">{variableText(name)}</span>
      </summary>
      {fields.map((field) => (
        <div key={field.name}>
          <Word word={`${name}.${field.name}`} meaning={named(field)} insert={insert} />
          {field.kind === 'list' &&
            field.fields.map((part) => (
              <Word
                key={part.name}
                word={`${name}.${field.name}.exists(p, p.${part.name} == ${sampleLiteral(part)})`}
                shown={`p.${part.name}`}
                meaning={named(part)}
                insert={insert}
              />
            ))}
        </div>
      ))}
    </details>
  );
}

type WordProps = { word: string; shown?: string; meaning: string; insert: Props['insert'] };

function Word({ word, shown, meaning, insert }: WordProps) {
  return (
    <UnstyledButton className={styles.word} data-part={shown !== undefined} onClick={() => insert(word)} title={word}>
      <code>{shown ?? word}</code> <span className="muted small">{meaning}</span>
    </UnstyledButton>
  );
}

/** Returns a sample literal to compare a part's field with. */
function sampleLiteral(field: Field): string {
  switch (field.kind) {
    case 'number':
    case 'integer':
      return '0';
    case 'boolean':
      return 'true';
    case 'date-time':
      return 'null';
    default:
      return '""';
  }
}
