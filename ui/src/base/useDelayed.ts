import { useEffect, useState } from 'react';

/** Delay before an activity is shown as running, in milliseconds. */
const DELAY = 250;

/** Returns true once an activity has lasted long enough to be shown. */
export function useDelayed(isActive: boolean): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!isActive) return undefined;
    const timer = window.setTimeout(() => setLate(true), DELAY);
    return () => {
      window.clearTimeout(timer);
      setLate(false);
    };
  }, [isActive]);
  return isActive && isLate;
}
