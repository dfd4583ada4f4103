import { Button, Checkbox, SegmentedControl, TextInput, Textarea, UnstyledButton } from '@mantine/core';
import { type RefObject, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ruleFaultText, variableText } from '@/base/engineTexts';
import { useFormats } from '@/base/useFormats';
import { SeveritySign } from '@/components/marks/StatusMarks';
import type { Field, RuleFault, RulePart } from '@/ipc/bindings';
import { RuleCondition } from './condition/RuleCondition';
import { useConditionEditor } from './condition/useConditionEditor';
import { type RulesDraft, useRuleWords } from './useRules';
import styles from './answers.module.css';

type RuleTextProps = {
  field: RefObject<HTMLTextAreaElement | null>;
  label: string;
  hint?: string;
  value: string;
  change: (value: string) => void;
  focus: () => void;
  faults: RuleFault[];
  testId: string;
};

/** An editor for text with CEL. It lists the faults in the text. A click on a fault moves the caret to its position. */
function RuleTextEditor({ field, label, hint, value, change, focus, faults, testId }: RuleTextProps) {
  const { t } = useTranslation();
  const selectFault = (at: number) => {
    field.current?.focus();
    const place = [...value].slice(0, at).join('').length;
    field.current?.setSelectionRange(place, Math.min(place + 1, value.length));
  };
  return (
    <div>
      <Textarea
        ref={field}
        label={label}
        description={hint}
        value={value}
        onChange={(event) => change(event.currentTarget.value)}
        onFocus={focus}
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        classNames={{ input: styles.cel ?? '' }}
        aria-invalid={faults.some((fault) => fault.error)}
        aria-describedby={`${testId}-faults`}
        data-testid={testId}
      />
      <ul id={`${testId}-faults`} className={styles.faults} aria-live="polite">
        {faults.map((fault) => (
          <li key={`${fault.code} ${fault.at} ${fault.parameters.name}`} data-error={fault.error}>
            <SeveritySign severity={fault.error ? 'error' : 'warning'} withLabel /> {ruleFaultText(fault)}{' '}
            <button type="button" className={styles.place} onClick={() => selectFault(fault.at)}>
              {t('answers.place', { at: fault.at + 1 })}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The heading of the variables that don't come from the event. */
const TIME_VARIABLES = ['now', 'local'];

type VariableListProps = { events: readonly number[]; insert: (word: string) => void };

/** Lists the variables of a rule. A click inserts one at the caret. */
function VariableList({ events, insert }: VariableListProps) {
  const { t } = useTranslation();
  const words = useRuleWords();
  if (!words) return null;
  const kind = words.events.find(({ id }) => events.includes(id)) ?? words.events[0];
  const fields = kind?.fields ?? [];
  const order = fields.find((field) => field.name === words.order)?.fields ?? [];
  const local = words.variables.filter((variable) => variable.startsWith('local.'));
  return (
    <div className={styles.words} tabIndex={0} role="region" aria-label={t('answers.words')} data-testid="rule-words">
      <VariableGroup name="order" fields={order} insert={insert} open />
      <VariableGroup name="event" fields={fields.filter((field) => field.fields.length === 0)} insert={insert} />
      <details className={styles.group}>
        <summary>
          <code>{TIME_VARIABLES.join(', ')}</code>
        </summary>
        <VariableButton expression="now" meaning={variableText('now')} insert={insert} />
        {local.map((variable) => (
          <VariableButton key={variable} expression={variable} meaning={variableText(variable)} insert={insert} />
        ))}
      </details>
    </div>
  );
}

function VariableGroup({ name, fields, insert, open = false }: { name: string; fields: readonly Field[]; insert: VariableListProps['insert']; open?: boolean }) {
  const { name: translateName } = useFormats();
  return (
    <details className={styles.group} open={open}>
      <summary>
        <code>{name}</code> <span className="muted small">{variableText(name)}</span>
      </summary>
      {fields.map((field) => (
        <div key={field.name}>
          <VariableButton expression={`${name}.${field.name}`} meaning={translateName(field)} insert={insert} />
          {field.kind === 'list' &&
            field.fields.map((part) => (
              <VariableButton
                key={part.name}
                expression={`${name}.${field.name}.exists(p, p.${part.name} == ${sampleLiteral(part)})`}
                label={`p.${part.name}`}
                meaning={translateName(part)}
                insert={insert}
              />
            ))}
        </div>
      ))}
    </details>
  );
}

type VariableButtonProps = { expression: string; label?: string; meaning: string; insert: VariableListProps['insert'] };

function VariableButton({ expression, label, meaning, insert }: VariableButtonProps) {
  return (
    <UnstyledButton className={styles.word} data-part={label !== undefined} onClick={() => insert(expression)} title={expression}>
      <code>{label ?? expression}</code> <span className="muted small">{meaning}</span>
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

type Props = { draft: RulesDraft; at: number; choose: (at: number) => void };

/** Edits a rule's condition and answer. The variables are listed next to them. */
export function RuleEditor({ draft, at, choose }: Props) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const words = useRuleWords();
  const conditionRef = useRef<HTMLTextAreaElement>(null);
  const refusalTextRef = useRef<HTMLTextAreaElement>(null);
  const [lastFocused, setLastFocused] = useState<'when' | 'refuse'>('when');
  const rule = draft.rules.rules[at];
  const conditionEditor = useConditionEditor(rule?.when ?? '', words, rule?.events ?? []);
  if (!rule) return null;
  const refuse = rule.refuse ?? null;
  const change = (changed: Partial<typeof rule>) => draft.changeRule(at, changed);
  const faults = (part: RulePart): RuleFault[] => draft.checks[at]?.faults.filter((fault) => fault.part === part) ?? [];
  const insert = (word: string) => {
    const part = conditionEditor.isForm ? 'refuse' : refuse === null ? 'when' : lastFocused;
    const field = (part === 'when' ? conditionRef : refusalTextRef).current;
    const text = rule[part] ?? '';
    const [begin, end] = [field?.selectionStart ?? text.length, field?.selectionEnd ?? text.length];
    const inserted = part === 'refuse' && !isInPlaceholder(text, begin) ? `{${word}}` : word;
    change({ [part]: text.slice(0, begin) + inserted + text.slice(end) });
    requestAnimationFrame(() => {
      field?.focus();
      field?.setSelectionRange(begin + inserted.length, begin + inserted.length);
    });
  };
  const remove = () => {
    draft.change((before) => ({ ...before, rules: before.rules.filter((_, index) => index !== at) }));
    choose(Math.max(0, at - 1));
  };
  return (
    <section className={styles.editor} aria-label={t('answers.rule')}>
      <div className={styles.fields}>
        <div className={styles.row}>
          <TextInput
            className={styles.grow}
            label={t('answers.name')}
            value={rule.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
            error={faults('name').length > 0 && t('answers.nameTaken')}
            data-testid="rule-name"
          />
          <Button variant="subtle" color="petrol" onClick={remove} data-testid="rule-remove">
            {t('answers.remove')}
          </Button>
        </div>
        <Checkbox.Group
          label={t('answers.events')}
          value={rule.events.map(String)}
          onChange={(chosen) => change({ events: chosen.map(Number).toSorted((one, other) => one - other) })}
          error={faults('events').length > 0 && t('answers.noEvents')}
        >
          <div className={styles.events}>
            {words?.events.map((event) => (
              <Checkbox key={event.id} size="xs" value={String(event.id)} label={`${event.id} · ${name(event)}`} />
            ))}
          </div>
        </Checkbox.Group>
        <RuleCondition key={at} text={rule.when} change={(when) => change({ when })} editor={conditionEditor}>
          <RuleTextEditor
            field={conditionRef}
            label={t('answers.when')}
            value={rule.when}
            change={(when) => change({ when })}
            focus={() => setLastFocused('when')}
            faults={faults('when')}
            testId="rule-when"
          />
        </RuleCondition>
        <SegmentedControl
          className={styles.says}
          size="xs"
          aria-label={t('answers.then')}
          data={[
            { value: 'refuse', label: t('answers.thenRefuse') },
            { value: 'allow', label: t('answers.thenAllow') },
          ]}
          value={refuse === null ? 'allow' : 'refuse'}
          onChange={(choice) => change({ refuse: choice === 'allow' ? null : (refuse ?? '') })}
        />
        {refuse !== null && (
          <RuleTextEditor
            field={refusalTextRef}
            label={t('answers.told')}
            hint={t('answers.toldHint')}
            value={refuse}
            change={(text) => change({ refuse: text })}
            focus={() => setLastFocused('refuse')}
            faults={faults('refuse')}
            testId="rule-refuse"
          />
        )}
      </div>
      {(!conditionEditor.isForm || refuse !== null) && <VariableList events={rule.events} insert={insert} />}
    </section>
  );
}

/** Whether the position is inside an open placeholder `{…}`. */
function isInPlaceholder(text: string, at: number): boolean {
  const before = text.slice(0, at);
  return before.lastIndexOf('{') > before.lastIndexOf('}');
}
