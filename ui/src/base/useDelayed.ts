import { useEffect, useState } from 'react';

/** Time after which an activity is shown as running, in milliseconds. */
const DELAY = 250;

/** Returns true once an activity has lasted long enough to be shown. */
export function useDelayed(going: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!going) return undefined;
    const timer = window.setTimeout(() => setLate(true), DELAY);
    return () => {
      window.clearTimeout(timer);
      setLate(false);
    };
  }, [going]);
  return going && late;
}
