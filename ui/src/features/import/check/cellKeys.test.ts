// @vitest-environment jsdom
import { expect, test } from 'vitest';

import { isOwnKey, keepStill } from './cellKeys';

test('the keys that fix are the ones that Excel has', () => {
  const key = (name: string, more: KeyboardEventInit = {}) => isOwnKey(new KeyboardEvent('keydown', { key: name, ...more }));
  expect(key('Delete')).toBe(true);
  expect(key('d', { ctrlKey: true })).toBe(true);
  expect(key('d')).toBe(false);
  expect(key('ArrowDown', { shiftKey: true })).toBe(true);
  expect(key('ArrowDown')).toBe(false);
  expect(key('F10', { shiftKey: true })).toBe(true);
});

test('a key that the grid acts on scrolls nothing, and an editor keeps its own', () => {
  document.body.innerHTML = '<div class="ag-cell"><b></b><input></div><b id="outside"></b>';
  const prevented = (at: string, key: string) => {
    const event = new KeyboardEvent('keydown', { key, shiftKey: true, bubbles: true, cancelable: true });
    const place = document.querySelector(at);
    place?.addEventListener('keydown', (heard) => keepStill(heard as KeyboardEvent), { once: true });
    place?.dispatchEvent(event);
    return event.defaultPrevented;
  };
  expect(prevented('.ag-cell b', 'ArrowDown')).toBe(true);
  expect(prevented('.ag-cell b', 'ArrowLeft')).toBe(false);
  expect(prevented('.ag-cell input', 'ArrowDown')).toBe(false);
  expect(prevented('#outside', 'ArrowDown')).toBe(false);
});
