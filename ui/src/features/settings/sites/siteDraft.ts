import type { Value as JsonValue, Site, SiteSaveResult, SiteSecrets, SiteView } from '@/ipc/bindings';

/** A site's secrets as typed. An empty text keeps the stored secret. */
export type EnteredSecrets = { [kind in keyof Required<SiteSecrets>]: string };
/** Whether each of a site's secrets is stored. */
export type StoredSecrets = { [kind in keyof EnteredSecrets]: boolean };

export const NO_SECRETS: EnteredSecrets = { client: '', proxyPassword: '', certificatePassphrase: '' };
export const NOTHING_STORED: StoredSecrets = { client: false, proxyPassword: false, certificatePassphrase: false };

export function storedSecrets(view: SiteView): StoredSecrets {
  return { client: view.hasSecret, proxyPassword: view.hasProxyPassword, certificatePassphrase: view.hasCertificatePassphrase };
}

/** Converts typed secrets for saving. Empty texts become null, which keeps the stored secrets. */
export function toSiteSecrets({ client, proxyPassword, certificatePassphrase }: EnteredSecrets): SiteSecrets {
  return { client: client || null, proxyPassword: proxyPassword || null, certificatePassphrase: certificatePassphrase || null };
}

/** The initial settings of a new site. It listens for the sign-in on any free port and uses the computer's time zone. */
export const EMPTY_SITE: Site = {
  name: '',
  kind: 'test',
  baseUrl: '',
  authUrl: '',
  clientId: '',
  redirectUris: ['http://127.0.0.1:0/callback'],
  scope: '',
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  batchSize: null,
  proxy: null,
  caFile: null,
  reservedPrefix: null,
  allowHttp: false,
};

/** Matches the start of an address on this computer, where services rarely have a certificate. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(?=[:/]|$)/iu;

/**
 * Creates a site for an address, named after its host. Null if the text isn't a web address.
 *
 * Without a scheme, an address on this computer gets http, any other one https.
 */
export function siteAt(address: string, empty: Site): Site | null {
  const typed = address.trim();
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//iu.test(typed);
  const url = URL.parse(hasScheme ? typed : `${LOOPBACK.test(typed) ? 'http' : 'https'}://${typed}`);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') return null;
  const isNumber = /^[\d.]+$|^\[/u.test(url.hostname);
  const name = isNumber ? url.host : (url.hostname.split('.')[0] ?? url.hostname);
  const baseUrl = `${url.origin}${url.pathname.replace(/\/+$/u, '')}`;
  return { ...empty, name, baseUrl };
}

/** Trims all texts of a site. Optional texts that are empty become null. */
export function cleanSite(site: Site): Site {
  const network = site.network ?? {};
  const lines = site.redirectUris.map((line) => line.trim()).filter((line) => line !== '');
  return {
    ...site,
    name: site.name.trim(),
    baseUrl: site.baseUrl.trim(),
    authUrl: site.authUrl.trim(),
    clientId: site.clientId.trim(),
    scope: site.scope.trim(),
    timeZone: site.timeZone.trim(),
    redirectUris: lines,
    proxy: network.noProxy ? null : site.proxy?.trim() || null,
    caFile: site.caFile?.trim() || null,
    reservedPrefix: site.reservedPrefix?.trim() || null,
    network: {
      ...network,
      clientCertificate: network.clientCertificate?.trim() || null,
      clientKey: network.clientKey?.trim() || null,
    },
  };
}

/** Whether a change of address, proxy or certificate authority makes the engine delete the stored secret. */
export function needsSecretAgain(before: Site, site: Site): boolean {
  const cleaned = cleanSite(site);
  return (
    origin(before.authUrl) !== origin(cleaned.authUrl) ||
    origin(before.proxy) !== origin(cleaned.proxy) ||
    (before.network?.noProxy ?? false) !== (cleaned.network?.noProxy ?? false) ||
    before.caFile !== cleaned.caFile
  );
}

/** Whether a change of the proxy or its user makes the engine delete the stored proxy password. */
export function needsProxyPasswordAgain(before: Site, site: Site): boolean {
  const cleaned = cleanSite(site);
  return origin(before.proxy) !== origin(cleaned.proxy) || proxyUser(before.proxy) !== proxyUser(cleaned.proxy);
}

/** Returns the locale keys of notes about what saving has deleted: secrets and the sign-in. */
export function deletedSecretKeys(saved: SiteSaveResult) {
  return [
    ...(saved.secretForgotten ? (['secretForgotten'] as const) : []),
    ...(saved.proxyPasswordForgotten ? (['proxyPasswordForgotten'] as const) : []),
    ...(saved.certificatePassphraseForgotten ? (['certificatePassphraseForgotten'] as const) : []),
    ...(saved.signedOut ? (['signedOut'] as const) : []),
  ];
}

function origin(address: string | null): string {
  return address && URL.canParse(address.trim()) ? new URL(address.trim()).origin : (address ?? '');
}

function proxyUser(address: string | null): string {
  return address && URL.canParse(address.trim()) ? new URL(address.trim()).username : '';
}

/** The required fields in the order of the form. */
const REQUIRED = ['name', 'baseUrl', 'authUrl', 'clientId', 'scope', 'timeZone', 'redirectUris'] as const;

export type RequiredMember = (typeof REQUIRED)[number];

/** Returns the required fields that are empty, in the order of the form. The engine validates the rest. */
export function missingMembers(site: Site): RequiredMember[] {
  const cleaned = cleanSite(site);
  return REQUIRED.filter((member) => cleaned[member].length === 0);
}

/** Returns the scopes of the contract's sign-in, separated by spaces. */
export function scopesOf(contract: JsonValue | undefined): string {
  const schemes = memberOf(memberOf(contract, 'components'), 'securitySchemes');
  const [scheme] = Object.values(objectMembers(schemes));
  const flow = memberOf(memberOf(scheme, 'flows'), 'authorizationCode');
  return Object.keys(objectMembers(memberOf(flow, 'scopes'))).join(' ');
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return objectMembers(value)[name];
}

function objectMembers(value: JsonValue | undefined): Partial<Record<string, JsonValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}
