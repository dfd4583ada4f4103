import { Skeleton } from '@mantine/core';

/** Placeholder lines while data is loading. */
export function LoadingLines({ lines }: { lines: number }) {
  return (
    <div aria-busy="true" data-testid="order-reading">
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={14} mb={10} width={line % 3 === 2 ? '60%' : '90%'} />
      ))}
    </div>
  );
}
