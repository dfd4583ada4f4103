import { act, fireEvent, screen } from '@testing-library/react';

/** Clicks what has that test id, once it is there: what is loaded later comes outside of React's own waiting. */
export async function clickFound(id: string): Promise<void> {
  const found = await screen.findByTestId(id);
  await act(async () => fireEvent.click(found));
}
