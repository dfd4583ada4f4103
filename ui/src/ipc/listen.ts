type Stop = () => void;
type Source<T> = { listen: (handler: (event: { payload: T }) => void) => Promise<Stop> };

/**
 * Listens for one kind of event. The returned function stops it, even before listening has started. Events before the start are
 * missed, so `begun` is called then to fetch the current state.
 */
export function listen<T>(source: Source<T>, handler: (payload: T) => void, begun?: () => void): Stop {
  let ended = false;
  const listening = source.listen((event) => {
    if (!ended) handler(event.payload);
  });
  if (begun) {
    void listening.then(() => {
      if (!ended) begun();
    });
  }
  return () => {
    ended = true;
    void listening.then((stop) => stop());
  };
}
