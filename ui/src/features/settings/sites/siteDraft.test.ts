import { describe, expect, it, test } from 'vitest';

import { cleanSite, EMPTY_SITE, deletedSecretKeys, missingMembers, needsProxyPasswordAgain, needsSecretAgain, scopesOf, siteAt } from './siteDraft';

describe('a site that is edited', () => {
  const site = { ...EMPTY_SITE, authUrl: 'https://auth.example/idp', baseUrl: 'https://erp.example' };

  it('asks for the secret again where it would go elsewhere', () => {
    for (const other of [
      { authUrl: 'https://auth.example:8443/idp' },
      { authUrl: 'http://auth.example/idp' },
      { proxy: 'http://proxy.example:3128' },
      { caFile: '/etc/own.pem' },
      { network: { noProxy: true } },
    ]) {
      expect(needsSecretAgain(site, { ...site, ...other })).toBe(true);
    }
  });

  it('asks for the password of a proxy again where that or its user is another one', () => {
    const behind = { ...site, proxy: 'http://anna@proxy.example:3128/' };
    const needed = (proxy: string) => needsProxyPasswordAgain(behind, { ...behind, proxy });
    expect(['http://anna@proxy.example:3128', ' http://anna@PROXY.example:3128/ '].map(needed)).toEqual([false, false]);
    expect(['http://bert@proxy.example:3128', 'http://anna@proxy.example', 'http://proxy.example:3128'].map(needed)).toEqual([true, true, true]);
  });

  it('says after it is saved what was forgotten and is needed again', () => {
    const nothing = {
      secretForgotten: false,
      proxyPasswordForgotten: false,
      certificatePassphraseForgotten: false,
      signedOut: false,
    };
    expect(deletedSecretKeys(nothing)).toEqual([]);
    expect(deletedSecretKeys({ ...nothing, secretForgotten: true, signedOut: true })).toEqual(['secretForgotten', 'signedOut']);
    expect(deletedSecretKeys({ ...nothing, proxyPasswordForgotten: true })).toEqual(['proxyPasswordForgotten']);
    expect(deletedSecretKeys({ ...nothing, certificatePassphraseForgotten: true })).toEqual(['certificatePassphraseForgotten']);
  });

  it('keeps the secret where nothing changes for it', () => {
    for (const same of [{}, { authUrl: ' https://AUTH.example:443/other ' }, { baseUrl: 'https://elsewhere.example' }, { proxy: ' ' }]) {
      expect(needsSecretAgain(site, { ...site, ...same })).toBe(false);
    }
  });
});

test('a site is whole when nothing is missing, and is trimmed', () => {
  const site = { ...EMPTY_SITE, name: ' works ', baseUrl: 'https://a', authUrl: 'https://b', clientId: 'c', scope: 's', proxy: ' ' };
  expect(missingMembers(EMPTY_SITE)).toEqual(['name', 'baseUrl', 'authUrl', 'clientId', 'scope']);
  expect(missingMembers(site)).toEqual([]);
  expect(missingMembers({ ...site, redirectUris: ['  ', ''] })).toEqual(['redirectUris']);
  expect(cleanSite(site)).toMatchObject({ name: 'works', proxy: null });
  expect(cleanSite({ ...site, proxy: 'http://p', network: { noProxy: true } })).toMatchObject({ proxy: null });
});

test('a new site begins with its address', () => {
  const siteFor = (address: string) => {
    const site = siteAt(address, EMPTY_SITE);
    return site && [site.name, site.baseUrl];
  };
  expect(siteFor(' https://mes-south.example.com/ ')).toEqual(['mes-south', 'https://mes-south.example.com']);
  expect(siteFor('erp.example/service/v1/')).toEqual(['erp', 'https://erp.example/service/v1']);
  expect(siteFor('http://127.0.0.1:8080')).toEqual(['127.0.0.1:8080', 'http://127.0.0.1:8080']);
  expect(['127.0.0.1:7701', 'localhost', '[::1]:80/erp', 'localhost.example'].map((typed) => siteFor(typed)?.[1])).toEqual([
    'http://127.0.0.1:7701',
    'http://localhost',
    'http://[::1]/erp',
    'https://localhost.example',
  ]);
  expect(['', '  ', 'ftp://erp.example', 'https://', 'not a host'].map(siteFor)).toEqual([null, null, null, null, null]);
});

test("the scopes of a new site are the contract's", () => {
  const flows = { authorizationCode: { scopes: { one: '', two: '' } } };
  expect(scopesOf({ components: { securitySchemes: { oauth2: { flows } } } })).toBe('one two');
  expect(scopesOf(null)).toBe('');
});
