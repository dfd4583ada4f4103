import { useState } from 'react';

/** Returns true until the first load succeeds or fails. Later reloads keep the content. */
export function useFirstLoad(isLoading: boolean): boolean {
  const [isFirst, setFirst] = useState(true);
  if (isFirst && !isLoading) setFirst(false);
  return isFirst && isLoading;
}
