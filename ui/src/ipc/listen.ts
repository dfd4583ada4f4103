type Stop = () => void;
type Source<T> = { listen: (hear: (event: { payload: T }) => void) => Promise<Stop> };

/** Hears one kind of event until the returned function is called, also where that comes before listening began. */
export function listen<T>(source: Source<T>, hear: (payload: T) => void): Stop {
  let ended = false;
  const listening = source.listen((event) => {
    if (!ended) hear(event.payload);
  });
  return () => {
    ended = true;
    void listening.then((stop) => stop());
  };
}
