import { act, fireEvent, screen } from '@testing-library/react';

/** Clicks an element by test ID once it exists, which also waits for lazily loaded components. */
export async function clickFound(id: string): Promise<void> {
  const found = await screen.findByTestId(id);
  await act(async () => fireEvent.click(found));
}
