// Freezes the members that every object inherits, before any other script of the page runs. Unlike with Tauri's freeze, an
// object can still get its own `toString` or `constructor` by assignment, which libraries (the query editor's) do.
(() => {
  const root = Object.prototype;
  for (const name of Object.getOwnPropertyNames(root)) {
    const { value, writable } = Object.getOwnPropertyDescriptor(root, name);
    // `__proto__` is an accessor.
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
