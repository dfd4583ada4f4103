import { VisuallyHidden } from '@mantine/core';

/** A column's heading for those who hear it; the column says by itself to the eye what it is. */
export function HiddenHeader({ displayName }: { displayName: string }) {
  return <VisuallyHidden>{displayName}</VisuallyHidden>;
}
