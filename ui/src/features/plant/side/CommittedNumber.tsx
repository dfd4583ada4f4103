import { NumberInput } from '@mantine/core';
import { useState } from 'react';

type Props = {
  value: number;
  most: number;
  change: (value: number) => void;
  testId: string;
  label?: string;
  labelledBy?: string;
  description?: string;
  suffix?: string;
  fractions?: boolean;
};

/** A number input that commits on blur or Enter. While typing, outside changes are ignored. */
export function CommittedNumber({ value, most, change, testId, label, labelledBy, description, suffix, fractions = false }: Props) {
  const [typed, setTyped] = useState<number | string | null>(null);
  const commit = () => {
    if (typed !== null && typed !== '' && Number(typed) !== value) change(Number(typed));
    setTyped(null);
  };
  return (
    <NumberInput
      label={label}
      description={description}
      aria-labelledby={labelledBy}
      value={typed ?? value}
      onChange={setTyped}
      onFocus={() => setTyped(value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
      min={0}
      max={most}
      clampBehavior="strict"
      allowDecimal={fractions}
      decimalScale={2}
      allowNegative={false}
      suffix={suffix}
      hideControls
      size="xs"
      data-testid={testId}
    />
  );
}
