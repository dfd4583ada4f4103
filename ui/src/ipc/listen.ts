type Stop = () => void;
type Source<T> = { listen: (handler: (event: { payload: T }) => void) => Promise<Stop> };

/**
 * Listens for one kind of event until the returned function is called, even before listening has started. Earlier events are
 * missed, so `begun` is called then to refetch.
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
