type StopListening = () => void;
type ListenableEvent<T> = { listen: (handler: (event: { payload: T }) => void) => Promise<StopListening> };

/**
 * Listens for one kind of event. The returned function stops it, even before listening has started. Events before the start are
 * missed, so `onStart` is called then to fetch the current state.
 */
export function listen<T>(source: ListenableEvent<T>, handler: (payload: T) => void, onStart?: () => void): StopListening {
  let ended = false;
  const listening = source.listen((event) => {
    if (!ended) handler(event.payload);
  });
  if (onStart) {
    void listening.then(() => {
      if (!ended) onStart();
    });
  }
  return () => {
    ended = true;
    void listening.then((stop) => stop());
  };
}
