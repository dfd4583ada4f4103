/** Converts between conditions of the form and CEL. CEL that the form can't express stays CEL. */

/** The kind of a value for comparisons. `clock` is a time of day as text. */
export type ValueKind = 'text' | 'number' | 'boolean' | 'moment' | 'duration' | 'clock';

/** A value that a condition can use, with its CEL name. */
export type ConditionValue = { celName: string; kind: ValueKind; label: string };

export const COMPARISONS = {
  text: ['is', 'isNot', 'contains', 'startsWith', 'isEmpty', 'isFilled'],
  number: ['is', 'isNot', 'above', 'atLeast', 'below', 'atMost'],
  boolean: ['isTrue', 'isFalse'],
  moment: ['isPast', 'isFuture', 'isEmpty', 'isFilled'],
  duration: ['above', 'atLeast', 'below', 'atMost'],
  clock: ['atLeast', 'below'],
} as const satisfies Record<ValueKind, readonly string[]>;

export type Comparison = (typeof COMPARISONS)[ValueKind][number];

/** One row of the form. An incomplete row yields no CEL. */
export type Condition = { celName: string | null; comparison: Comparison | null; value: string };

export type ConditionList = { join: 'all' | 'any'; conditions: readonly Condition[] };

type KindOf = (word: string) => ValueKind | undefined;

const COMPARISON_SIGNS = { is: '==', isNot: '!=', above: '>', atLeast: '>=', below: '<', atMost: '<=' } as const;
const COMPARISON_BY_SIGN = Object.fromEntries(Object.entries(COMPARISON_SIGNS).map(([comparison, sign]) => [sign, comparison])) as Record<string, keyof typeof COMPARISON_SIGNS>;
const UNARY_COMPARISONS = new Set<string>(['isEmpty', 'isFilled', 'isTrue', 'isFalse', 'isPast', 'isFuture']);

export const EMPTY_CONDITION: Condition = { celName: null, comparison: null, value: '' };

/** Whether a comparison needs a typed value. */
export function needsValue(comparison: Comparison | null): boolean {
  return comparison !== null && !UNARY_COMPARISONS.has(comparison);
}

/** Converts conditions to CEL. Incomplete ones are skipped, and the result is empty if none is complete. */
export function toCel({ join, conditions }: ConditionList, kindOf: KindOf): string {
  const expressions = conditions.map((one) => conditionToCel(one, kindOf)).filter((text) => text !== null);
  return expressions.join(join === 'all' ? ' && ' : ' || ');
}

/** Parses CEL into conditions, null if the form can't express it. */
export function parseConditions(text: string, kindOf: KindOf): ConditionList | null {
  if (text.trim() === '') return { join: 'all', conditions: [EMPTY_CONDITION] };
  for (const [join, sign] of [['all', '&&'], ['any', '||']] as const) {
    const conditions = splitTopLevel(text, sign).map((part) => parseCondition(part.trim(), kindOf));
    if (conditions.every((one) => one !== null)) return { join, conditions };
  }
  return null;
}

function conditionToCel({ celName, comparison, value }: Condition, kindOf: KindOf): string | null {
  const kind = celName === null ? undefined : kindOf(celName);
  if (celName === null || comparison === null || kind === undefined) return null;
  switch (comparison) {
    case 'isEmpty':
    case 'isFilled':
      return `${celName} ${comparison === 'isEmpty' ? '==' : '!='} ${kind === 'moment' ? 'null' : '""'}`;
    case 'isTrue':
    case 'isFalse':
      return `${celName} == ${comparison === 'isTrue'}`;
    case 'isPast':
    case 'isFuture':
      // An unset date can't be compared.
      return `(${celName} != null && ${celName} ${comparison === 'isPast' ? '<' : '>'} now)`;
    case 'contains':
    case 'startsWith':
      return value === '' ? null : `${celName}.${comparison}(${JSON.stringify(value)})`;
    default: {
      const literal = toLiteral(value, kind);
      return literal === null ? null : `${celName} ${COMPARISON_SIGNS[comparison]} ${literal}`;
    }
  }
}

/** Converts a typed value to a CEL literal, null if it doesn't match the kind. */
function toLiteral(value: string, kind: ValueKind): string | null {
  const typed = value.trim();
  switch (kind) {
    case 'text':
      return value === '' ? null : JSON.stringify(value);
    case 'clock':
      return /^(?:[01]\d|2[0-3]):[0-5]\d$/u.test(typed) ? JSON.stringify(typed) : null;
    case 'number': {
      const number = typed.replace(',', '.');
      return /^-?\d{1,15}(?:\.\d{1,9})?$/u.test(number) ? number : null;
    }
    case 'duration':
      return /^\d{1,9}$/u.test(typed) ? `duration("${typed}m")` : null;
    case 'boolean':
    case 'moment':
      return null;
  }
}

const PATH_PATTERN = '([A-Za-z_][A-Za-z0-9_]*(?:\\.[A-Za-z_][A-Za-z0-9_]*)+)';
const QUOTED_PATTERN = '("(?:[^"\\\\]|\\\\.)*")';
const CALL_PATTERN = new RegExp(`^${PATH_PATTERN}\\.(contains|startsWith)\\(${QUOTED_PATTERN}\\)$`, 'u');
const RELATIVE_PATTERN = new RegExp(`^\\(${PATH_PATTERN} != null && ${PATH_PATTERN} ([<>]) now\\)$`, 'u');
const COMPARISON_PATTERN = new RegExp(`^${PATH_PATTERN} (==|!=|>=|<=|>|<) (?:${QUOTED_PATTERN}|duration\\("(\\d{1,9})m"\\)|(-?\\d{1,15}(?:\\.\\d{1,9})?)|(true|false|null))$`, 'u');

/** Parses one condition. It is accepted only if it converts back to the same text, so neither editor changes the other's text. */
function parseCondition(text: string, kindOf: KindOf): Condition | null {
  const found = parseCall(text) ?? parseRelative(text) ?? parseComparison(text, kindOf);
  return found !== null && conditionToCel(found, kindOf) === text ? found : null;
}

function parseCall(text: string): Condition | null {
  const [, celName, name, literal] = CALL_PATTERN.exec(text) ?? [];
  const value = unquote(literal);
  return celName && value !== null ? { celName, comparison: name === 'contains' ? 'contains' : 'startsWith', value } : null;
}

function parseRelative(text: string): Condition | null {
  const [, celName, again, sign] = RELATIVE_PATTERN.exec(text) ?? [];
  return celName && celName === again ? { celName, comparison: sign === '<' ? 'isPast' : 'isFuture', value: '' } : null;
}

function parseComparison(text: string, kindOf: KindOf): Condition | null {
  const [, celName, sign, literal, minutes, number, constant] = COMPARISON_PATTERN.exec(text) ?? [];
  if (!celName || !sign) return null;
  const empty = constant === 'null' || (literal === '""' && kindOf(celName) === 'text');
  if (empty) return { celName, comparison: sign === '==' ? 'isEmpty' : 'isFilled', value: '' };
  if (constant) return { celName, comparison: constant === 'true' ? 'isTrue' : 'isFalse', value: '' };
  const value = minutes ?? number ?? unquote(literal);
  const comparison = COMPARISON_BY_SIGN[sign];
  return value !== null && comparison ? { celName, comparison, value } : null;
}

function unquote(literal: string | undefined): string | null {
  try {
    const value: unknown = literal === undefined ? null : JSON.parse(literal);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}

/** Splits at a sign that is outside of strings and brackets. */
function splitTopLevel(text: string, sign: string): string[] {
  const parts: string[] = [];
  let [depth, begin, inText] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (inText && letter === '\\') at += 1;
    else if (letter === '"') inText = !inText;
    else if (inText) continue;
    else if (letter === '(') depth += 1;
    else if (letter === ')') depth -= 1;
    else if (depth === 0 && text.startsWith(sign, at)) {
      parts.push(text.slice(begin, at));
      at += sign.length - 1;
      begin = at + 1;
    }
  }
  return [...parts, text.slice(begin)];
}
