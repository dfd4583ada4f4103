import { Button, Checkbox, TextInput, UnstyledButton } from '@mantine/core';
import { memo, type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from '@tanstack/react-query';

import { useFormats } from '@/base/useFormats';
import { LocalDateTimeInput } from '@/components/controls/LocalDateTimeInput';
import momentStyles from '@/components/controls/moments.module.css';
import { Provenance } from '@/components/marks/Provenance';
import { commands, type NamedSpan, type Operation, type Parameter } from '@/ipc/bindings';
import { useSite } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';

import {
  type Parameters,
  QUICK_SPANS,
  toInputValue,
  isComplete,
  isReversed,
  namedSpanOf,
  spanParameters,
  withDateTime,
  withSpan,
  withoutEmpty,
} from './parameters';
import styles from './read.module.css';

/** Returns the site's named time spans. They depend on the current time, so they are refetched. */
function useNamedSpans(enabled: boolean): NamedSpan[] {
  const site = useSite();
  const { data } = useQuery({
    queryKey: queryKeys.listSpans(site?.site.name),
    queryFn: () => commands.readSpans(),
    enabled: enabled,
    staleTime: 30_000,
    refetchInterval: 60_000,
  });
  return data ?? NO_SPANS;
}

const NO_SPANS: NamedSpan[] = [];

/** `initialValues` is null until the initial values are known. */
type Props = { operation: Operation; initialValues: Parameters | null; read: (parameters: Parameters) => void; busy: boolean };

/** The operation's parameters as filters. Enter starts reading. */
export const ParameterLine = memo(function ParameterLine({ initialValues, ...rest }: Props) {
  if (rest.operation.parameters.length === 0) return null;
  return initialValues ? <ParameterForm {...rest} initialValues={initialValues} /> : <div className={styles.waiting} />;
});

type SpanButtonsProps = { spans: readonly NamedSpan[]; chosen: string | null; choose: (name: string | null) => void };

/** Toggle buttons for the site's named time spans. */
function SpanButtons({ spans, chosen, choose }: SpanButtonsProps) {
  const { t } = useTranslation();
  const { serviceTime } = useFormats();
  const namedSpans = QUICK_SPANS.flatMap((name) => spans.filter((one) => one.name === name).map((span) => ({ name, span })));
  if (namedSpans.length === 0) return null;
  return (
    <fieldset className={momentStyles.spans} aria-label={t('filters.spans')}>
      {namedSpans.map(({ name, span }) => (
        <UnstyledButton
          key={name}
          className={momentStyles.span}
          aria-pressed={chosen === name}
          title={`${serviceTime(span.begin)} – ${serviceTime(span.end)}`}
          onClick={() => choose(chosen === name ? null : name)}
          data-testid={`span-${name}`}
        >
          {t(`filters.span.${name}`)}
        </UnstyledButton>
      ))}
    </fieldset>
  );
}

function ParameterForm({ operation, initialValues, read, busy }: Props & { initialValues: Parameters }) {
  const { t } = useTranslation();
  const [values, setValues] = useState<Parameters>(initialValues);
  const hasTimeSpan = spanParameters(operation) !== null;
  const spans = useNamedSpans(hasTimeSpan);
  const reversed = isReversed(operation, values);
  const ready = isComplete(operation, values) && !reversed;
  const send = (next: Parameters) => {
    setValues(next);
    if (isComplete(operation, next) && !isReversed(operation, next)) read(withoutEmpty(next));
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (ready && !busy) send(values);
  };
  return (
    <form className={styles.line} onSubmit={submit}>
      {operation.parameters.map((parameter) => (
        <ParameterInput
          key={parameter.name}
          parameter={parameter}
          value={values[parameter.name] ?? ''}
          spans={spans}
          change={(value) => setValues((now) => ({ ...now, [parameter.name]: value }))}
          changeDateTime={(moment) => setValues((now) => withDateTime(operation, now, spans, parameter.name, moment))}
        />
      ))}
      {hasTimeSpan && (
        <SpanButtons spans={spans} chosen={namedSpanOf(operation, values)} choose={(name) => send(withSpan(operation, values, name))} />
      )}
      <span className={styles.act}>
        <Button type="submit" size="sm" variant="default" disabled={!ready || busy} data-testid="browse-read">
          {t('browse.read')}
        </Button>
        {Object.keys(withoutEmpty(values)).length > 0 && !operation.parameters.some((one) => one.required) && (
          <Button size="sm" variant="subtle" onClick={() => send({})} data-testid="browse-clear">
            {t('filters.clear')}
          </Button>
        )}
      </span>
      {reversed && (
        <p className={momentStyles.wrong} role="alert" data-testid="browse-reversed">
          {t('filters.reversed')}
        </p>
      )}
    </form>
  );
}

type InputProps = {
  parameter: Parameter;
  value: string;
  spans: readonly NamedSpan[];
  change: (value: string) => void;
  changeDateTime: (moment: { day: string; time: string }) => void;
};

function ParameterInput({ parameter, value, spans, change, changeDateTime }: InputProps) {
  const { name } = useFormats();
  const label = (
    <Provenance of={parameter}>
      {name(parameter) || parameter.name}
    </Provenance>
  );
  const testId = `parameter-${parameter.name}`;
  if (parameter.kind === 'boolean') {
    return (
      <Checkbox label={label} checked={value === 'true'} onChange={(event) => change(event.currentTarget.checked ? 'true' : '')} data-testid={testId} />
    );
  }
  if (parameter.kind === 'date-time') {
    return <LocalDateTimeInput label={label} value={toInputValue(parameter, value, spans)} change={changeDateTime} testId={testId} />;
  }
  return (
    <TextInput
      label={label}
      required={parameter.required}
      inputMode={parameter.kind === 'integer' ? 'numeric' : undefined}
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
      w={170}
      spellCheck={false}
      data-testid={testId}
    />
  );
}
