import { describe, expect, it } from 'vitest';

import { emptySite, needsSecretAgain } from '@/features/settings/draft';

describe('a site that is edited', () => {
  const site = { ...emptySite, authUrl: 'https://auth.example/idp', baseUrl: 'https://erp.example' };

  it('asks for the secret again where it would go elsewhere', () => {
    for (const other of [
      { authUrl: 'https://auth.example:8443/idp' },
      { authUrl: 'http://auth.example/idp' },
      { proxy: 'http://proxy.example:3128' },
      { caFile: '/etc/own.pem' },
    ]) {
      expect(needsSecretAgain(site, { ...site, ...other })).toBe(true);
    }
  });

  it('keeps the secret where nothing changes for it', () => {
    for (const same of [{}, { authUrl: ' https://AUTH.example:443/other ' }, { baseUrl: 'https://elsewhere.example' }, { proxy: ' ' }]) {
      expect(needsSecretAgain(site, { ...site, ...same })).toBe(false);
    }
  });
});
