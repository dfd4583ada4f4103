import { Button, Checkbox, TextInput } from '@mantine/core';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '../../app/useFormats';
import { Assumed } from '../../components/Assumed';
import type { Operation, Parameter } from '../../ipc/bindings';
import type { Parameters } from './useReadPage';
import styles from './browse.module.css';

type Props = { operation: Operation; given: Parameters; read: (parameters: Parameters) => void; busy: boolean };

/** The operation's parameters as filters. */
export function ParameterLine({ operation, given, read, busy }: Props) {
  const { t } = useTranslation();
  const [values, setValues] = useState<Parameters>(given);
  const filled = operation.parameters.every((parameter) => !parameter.required || values[parameter.name]?.trim());
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (filled) read(Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== '')));
  };
  return (
    <form className={styles.parameters} onSubmit={submit}>
      {operation.parameters.map((parameter) => (
        <ParameterInput
          key={parameter.name}
          parameter={parameter}
          value={values[parameter.name] ?? ''}
          change={(value) => setValues((now) => ({ ...now, [parameter.name]: value }))}
        />
      ))}
      <Button type="submit" variant="default" disabled={!filled || busy} data-testid="browse-read">
        {t('browse.read')}
      </Button>
    </form>
  );
}

type InputProps = { parameter: Parameter; value: string; change: (value: string) => void };

function ParameterInput({ parameter, value, change }: InputProps) {
  const { name } = useFormats();
  const label = (
    <Assumed level={parameter.provenance.level} source={parameter.provenance.source}>
      {name(parameter) || parameter.name}
    </Assumed>
  );
  if (parameter.kind === 'boolean') {
    return (
      <Checkbox
        label={label}
        checked={value === 'true'}
        onChange={(event) => change(event.currentTarget.checked ? 'true' : '')}
        data-testid={`parameter-${parameter.name}`}
      />
    );
  }
  return (
    <TextInput
      label={label}
      required={parameter.required}
      type={parameter.kind === 'date-time' ? 'date' : 'text'}
      inputMode={parameter.kind === 'integer' ? 'numeric' : undefined}
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
      w={parameter.kind === 'date-time' ? 160 : 180}
      data-testid={`parameter-${parameter.name}`}
    />
  );
}
