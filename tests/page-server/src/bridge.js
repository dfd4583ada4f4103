// Replaces Tauri's script in the page: sends calls to the page server over HTTP, and receives events and channel
// messages as server-sent events.
(() => {
  const callbacks = new Map();
  const heard = {};
  let lastCallback = 0;

  function transformCallback(callback, once = false) {
    lastCallback += 1;
    const id = lastCallback;
    callbacks.set(id, (data) => {
      if (once) callbacks.delete(id);
      return callback?.(data);
    });
    return id;
  }

  function runCallback(id, data) {
    callbacks.get(id)?.(data);
  }

  const messages = new EventSource('/page-server/messages');
  const connected = new Promise((resolve) => messages.addEventListener('open', resolve, { once: true }));
  messages.addEventListener('message', ({ data }) => {
    const message = JSON.parse(data);
    if (message.missed) throw new Error(`the page missed ${message.missed} messages`);
    if (message.event) {
      for (const [id, { handlerId }] of Object.entries(heard[message.event] ?? {})) {
        runCallback(handlerId, { event: message.event, id: Number(id), payload: message.payload });
      }
    } else runCallback(message.callback, message.data);
  });

  async function listen({ event, handler }) {
    await fetch(`/page-server/listen/${encodeURIComponent(event)}`, { method: 'POST' });
    heard[event] ??= {};
    heard[event][handler] = { handlerId: handler };
    return handler;
  }

  async function invoke(command, given = {}) {
    await connected;
    if (command === 'plugin:event|listen') return listen(given);
    if (command === 'plugin:event|unlisten') return delete heard[given.event]?.[given.eventId];
    const isBinary = given instanceof ArrayBuffer || ArrayBuffer.isView(given);
    const headers = { 'Content-Type': isBinary ? 'application/octet-stream' : 'application/json' };
    const body = isBinary ? given : JSON.stringify(given);
    const answer = await fetch(`/page-server/invoke/${encodeURIComponent(command)}`, { method: 'POST', headers, body });
    if (answer.headers.get('Content-Type') === 'application/octet-stream') return answer.arrayBuffer();
    if (answer.ok) return answer.json();
    throw answer.status === 422 ? await answer.json() : `${command}: ${answer.status} ${await answer.text()}`;
  }

  const label = 'main';
  Object.defineProperty(window, '__TAURI_INTERNALS__', {
    value: {
      invoke,
      transformCallback,
      runCallback,
      unregisterCallback: (id) => callbacks.delete(id),
      convertFileSrc: (path) => path,
      metadata: { currentWindow: { label }, currentWebview: { windowLabel: label, label } },
    },
  });
  Object.defineProperty(window, '__TAURI_EVENT_PLUGIN_INTERNALS__', {
    value: { unregisterListener: (event, id) => delete heard[event]?.[id] },
  });
  // Tauri stores its listeners under a name with this prefix, too.
  Object.defineProperty(window, '__page_server_listeners__', { value: heard });
})();
