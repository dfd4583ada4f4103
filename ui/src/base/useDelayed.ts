import { useEffect, useState } from 'react';

/** What is over sooner than this isn't worth a word. Milliseconds. */
const soon = 250;

/** True once something has been going on for so long that a person wonders. */
export function useDelayed(going: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!going) return undefined;
    const timer = window.setTimeout(() => setLate(true), soon);
    return () => {
      window.clearTimeout(timer);
      setLate(false);
    };
  }, [going]);
  return going && late;
}
