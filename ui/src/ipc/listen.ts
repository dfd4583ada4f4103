type Stop = () => void;
type Source<T> = { listen: (handler: (event: { payload: T }) => void) => Promise<Stop> };

/**
 * Hears one kind of event until the returned function is called, also where that comes before listening began. What happens before
 * that isn't heard: `begun` is called then, for whoever has to ask again.
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
