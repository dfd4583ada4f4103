// Runs in the page before anything else: what every object inherits can't be changed by anybody. Unlike Tauri's own freeze,
// an object can still have a `toString` or a `constructor` of its own by assignment, which libraries (the query editor's) do.
(() => {
  const root = Object.prototype;
  for (const name of Object.getOwnPropertyNames(root)) {
    const { value, writable } = Object.getOwnPropertyDescriptor(root, name);
    // `__proto__` is no plain member.
    if (!writable) continue;
    Object.defineProperty(root, name, {
      enumerable: false,
      configurable: false,
      get: () => value,
      set(own) {
        if (this === root) throw new TypeError(`Object.prototype.${name} is frozen`);
        Object.defineProperty(this, name, { value: own, writable: true, enumerable: true, configurable: true });
      },
    });
  }
  Object.freeze(root);
})();
