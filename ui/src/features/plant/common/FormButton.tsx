import { Button, Popover } from '@mantine/core';
import { type ReactNode, useState } from 'react';

type Props = { label: string; testId: string; children: (close: () => void) => ReactNode; disabled?: boolean };

/** A button that opens a form next to it. */
export function FormButton({ label, testId, children, disabled = false }: Props) {
  const [opened, setOpened] = useState(false);
  const close = () => setOpened(false);
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" width={320} trapFocus returnFocus shadow="md">
      <Popover.Target>
        <Button size="xs" variant="default" onClick={() => setOpened(!opened)} disabled={disabled} data-testid={testId}>
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>{opened && children(close)}</Popover.Dropdown>
    </Popover>
  );
}
