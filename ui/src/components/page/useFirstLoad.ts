import { useState } from 'react';

/** True until something has loaded for the first time, or failed; what is shown from then on stays, also while it loads again. */
export function useFirstLoad(isLoading: boolean): boolean {
  const [isFirst, setFirst] = useState(true);
  if (isFirst && !isLoading) setFirst(false);
  return isFirst && isLoading;
}
