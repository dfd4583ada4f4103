// The frame that every message of the page passes before Rust hears it. Only this frame has the key that encrypts messages, so
// code in the page can't go around it: what isn't a command of Takt, or is far larger than any message of Takt, is refused here.
(() => {
  const PLUGIN_COMMANDS = ['plugin:event|listen', 'plugin:event|unlisten', 'plugin:__TAURI_CHANNEL__|fetch'];
  const REFUSED = 'refused_by_isolation';
  const MOST_CHARACTERS = 64 * 1024 * 1024;
  const commands = new Set([...PLUGIN_COMMANDS, ...window.TAKT_COMMANDS]);

  /** Counts what a message holds, as far as the bound. */
  function size(value, room) {
    if (room < 0) return room;
    if (typeof value === 'string') return room - value.length;
    if (value === null || typeof value !== 'object') return room - 8;
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return room - value.byteLength;
    let left = room;
    for (const [name, member] of Object.entries(value)) {
      left = size(member, left - name.length);
      if (left < 0) return left;
    }
    return left;
  }

  function isAllowed(message) {
    return commands.has(message.cmd) && size(message.payload, MOST_CHARACTERS) >= 0;
  }

  // Rust answers an unknown command with an error, so that whoever called hears that it failed.
  window.__TAURI_ISOLATION_HOOK__ = (message) =>
    isAllowed(message) ? message : { ...message, cmd: REFUSED, payload: {}, options: undefined };
})();
