import i18next from 'i18next';

import type { ConnectionPart, ConnectionStep, RowResult, StepOutcome, Fault, Finding, Language, PreviewAlarm, Problem, RuleFault, Severity, TargetState, UncheckedField } from '@/ipc/bindings';
import { type Formats, durationText, formatsFor } from './formats';
import { parseTicks, TICKS_PER_SECOND } from './durations';
import { LANGUAGES } from './words';

const SECONDS_PER_DAY = 86_400;

type Translate = (key: string, values: Record<string, unknown>) => string;

/** Accepts any key, because the compiler can't check the keys of the engine's language files. */
const translate: Translate = i18next.t.bind(i18next) as unknown as Translate;

export function problemTitle(problem: Problem): string {
  return caseText(problem, 'title', translateParameters(problem.parameters), problem.message);
}

export function problemHint(problem: Problem): string {
  const values = translateParameters(problem.parameters);
  const otherwise = caseText(problem, 'hint', values, problem.hint);
  const { obstacle } = problem.parameters;
  return obstacle ? engineText(`advice:${obstacle}`, values, otherwise) : otherwise;
}

/** Returns the text for the parameter `case` if it has one, because a problem code may have several causes. */
function caseText({ code, parameters }: Problem, kind: 'title' | 'hint', values: Record<string, unknown>, message: string): string {
  const otherwise = engineText(`problem:${code}.${kind}`, values, message);
  return parameters.case ? engineText(`problem:${code}.${parameters.case}.${kind}`, values, otherwise) : otherwise;
}

/** Translates parameters that the engine gives as codes or internal names. */
function translateParameters(parameters: Problem['parameters']): Record<string, string | undefined> {
  const { obstacle, site, since, what } = parameters;
  const values = since ? { ...parameters, since: formatsFor(currentLanguage()).recentDateTime(since) } : parameters;
  return {
    ...values,
    ...(obstacle ? { what: engineText(`obstacle:${obstacle}`, values, what ?? obstacle) } : {}),
    ...(site === 'practice' ? { site: i18next.t('site.practice') } : {}),
  };
}

function currentLanguage(): Language {
  return LANGUAGES.find((language) => language === i18next.language) ?? 'en';
}

/** Formats a finding as a sentence. A misplaced quote that affects only its own line has a separate text. */
export function findingText({ code, parameters }: Pick<Finding, 'code' | 'parameters'>): string {
  const text = engineText(`finding:${code}`, parameters, code);
  return withSuggestion(parameters.lines === '0' ? engineText(`finding-alone:${code}`, parameters, text) : text, parameters);
}

/** Explains why a field couldn't be compared with its value at the site. */
export function uncheckedText({ reason, at, rows }: UncheckedField, { dateTime, number }: Pick<Formats, 'dateTime' | 'number'>): string {
  return engineText(`unchecked:${reason}`, { at: dateTime(at ?? ''), rows: number(rows ?? 0) }, reason);
}

/** Formats an alarm about all rows as a sentence. */
export function alarmText({ kind, field, rows, of, number }: PreviewAlarm, count: Formats['number']): string {
  const positive = number.replace(/^-/u, '');
  const ticks = kind === 'dates-moved' ? parseTicks(positive) : null;
  const amount = ticks === null ? positive : daysOrDuration(ticks / TICKS_PER_SECOND);
  return engineText(`alarm:${kind}`, { field, rows: count(rows), of: count(of), number: amount }, kind);
}

/** Formats the distance between two dates: whole days as days, anything else as a duration. */
function daysOrDuration(seconds: number): string {
  const days = seconds / SECONDS_PER_DAY;
  return days >= 1 && Number.isInteger(days) ? i18next.t('duration.days', { count: days }) : durationText(seconds, i18next.t);
}

/** Formats the finding of a connection check as a sentence. */
export function connectionText({ finding, parameters }: ConnectionStep): string {
  return engineText(`connection:findings.${finding}`, parameters, finding);
}

export function connectionPartName(part: ConnectionPart): string {
  return engineText(`connection:parts.${part}`, {}, part);
}

export function outcomeWord(outcome: StepOutcome): string {
  return engineText(`connection:outcomes.${outcome}`, {}, outcome);
}

/** Explains why a target didn't accept an event. */
export function faultText(fault: Fault, status: number | null): string {
  return engineText(`forward:fault.${fault}`, { status: String(status ?? '–') }, fault);
}

export function targetStateWord(state: TargetState): string {
  return engineText(`forward:state.${state}`, {}, state);
}

/** The default text for the operator if a rule fails. */
export function rulesFailedText(): string {
  return engineText('rule-answer:failed', {}, '');
}

/** Formats a fault in a rule as a sentence. */
export function ruleFaultText({ code, parameters }: Pick<RuleFault, 'code' | 'parameters'>): string {
  return withSuggestion(engineText(`rule-fault:${code}`, parameters, code), parameters);
}

/** Appends the suggested name, if the engine found a similar one. */
function withSuggestion(text: string, parameters: Readonly<Record<string, string | undefined>>): string {
  return parameters['near'] ? `${text} ${engineText('rule-fault:near', parameters, parameters['near'])}` : text;
}

/** Describes a variable of the rules. */
export function variableText(name: string): string {
  return engineText(`variable:${name.replace('.', '-')}`, {}, name);
}

export function resultWord(result: RowResult): string {
  return engineText(`result:${result}`, {}, result);
}

export function severityWord(severity: Severity): string {
  return engineText(`severity:${severity}`, {}, severity);
}

function engineText(key: string, values: Record<string, unknown>, fallback: string): string {
  // The engine sends text, but i18next needs a number to choose the plural form.
  const { count } = values;
  const counted = typeof count === 'string' && /^\d+$/u.test(count) ? { count: Number(count) } : {};
  const time = typeof values['seconds'] === 'string' ? { time: durationText(Number(values['seconds']), i18next.t) } : {};
  return translate(key, { ...time, ...values, ...counted, defaultValue: fallback, interpolation: { escapeValue: false } });
}
