import { describe, expect, it } from 'vitest';

import { isUnencrypted } from '@/base/addresses';
import type { ForwardTarget } from '@/ipc/bindings';
import { isBlocked, toDestination } from './ReplayDialog';
import { toDraft, isComplete, toStart, toSettings } from './targetDraft';

describe('forwarding', () => {
  it('warns of an address that others can read on the way', () => {
    for (const closed of ['https://erp.example/x', 'http://localhost:8080/', 'http://127.0.0.1/', 'http://[::1]/a', 'erp', '']) {
      expect(isUnencrypted(closed)).toBe(false);
    }
    for (const open of ['http://erp.example/', ' http://10.0.0.7/x', 'http://localhost.example/']) {
      expect(isUnencrypted(open)).toBe(true);
    }
  });

  it('keeps what is secret unless a person says otherwise', () => {
    const draft = { ...toDraft(undefined), name: ' ERP ', address: ' https://erp/ ', kinds: ['2'] };
    expect(toSettings({ ...draft, headers: [{ key: 0, name: 'X-Key ', value: '', isStored: true }] })).toEqual({
      name: 'ERP',
      address: 'https://erp/',
      kinds: [2],
      headers: [['X-Key', '']],
      secret: null,
      allowHttp: false,
    });
    expect(toSettings({ ...draft, secret: 'new' }).secret).toBe('new');
    expect(toSettings({ ...draft, secret: 'new', removesSecret: true }).secret).toBe('');
  });

  it('begins where a person says, and waits until that is said', () => {
    const draft = { ...toDraft(undefined), name: 'ERP', address: 'https://erp/' };
    expect([isComplete(draft), toStart(draft)]).toEqual([true, { from: 'now' }]);
    const since = { ...draft, start: 'since' as const };
    expect(isComplete(since)).toBe(false);
    expect(toStart({ ...since, since: { day: '2026-11-20', time: '' } })).toEqual({ from: 'since', moment: '2026-11-20' });
    expect(toStart({ ...since, since: { day: '2026-11-20', time: '06:30' } })).toEqual({ from: 'since', moment: '2026-11-20T06:30' });
  });

  it('goes nowhere until a person says where to', () => {
    const nowhere = { address: ' ', allowHttp: false, target: null };
    expect(toDestination(nowhere)).toBeNull();
    expect(toDestination({ ...nowhere, address: ' https://erp/ ' })).toEqual({ to: 'address', address: 'https://erp/', allowHttp: false });
    expect(toDestination({ ...nowhere, address: '', target: '7' })).toEqual({ to: 'target', id: 7 });
  });

  it('goes unencrypted only where a person allowed it', () => {
    const open = { address: 'http://erp.example/', allowHttp: false, target: null };
    expect([isBlocked(open), isBlocked({ ...open, allowHttp: true }), isBlocked({ ...open, address: 'http://127.0.0.1/' })]).toEqual([true, false, false]);
    expect(isBlocked({ ...open, target: '7' })).toBe(false);
    expect(toDestination({ ...open, allowHttp: true })).toEqual({ to: 'address', address: 'http://erp.example/', allowHttp: true });
    // A target that was stored without this option doesn't allow HTTP.
    const before: ForwardTarget = {
      id: 1,
      site: 'Works',
      name: 'ERP',
      address: open.address,
      open: true,
      allowHttp: false,
      kinds: [],
      headers: [],
      signs: false,
      state: 'unencrypted',
      running: true,
    idle: null,
      waiting: 2,
      oldest: null,
      aside: 0,
      took: null,
      miss: null,
    };
    expect(toDraft(before).allowHttp).toBe(false);
    expect(toDraft({ ...before, allowHttp: true }).allowHttp).toBe(true);
  });
});
