import { VisuallyHidden } from '@mantine/core';

/** A column header for screen readers only. */
export function HiddenHeader({ displayName }: { displayName: string }) {
  return <VisuallyHidden>{displayName}</VisuallyHidden>;
}
