/** Whether traffic to an address is unencrypted: plain HTTP to another computer. */
export function isUnencrypted(address: string): boolean {
  const url = URL.parse(address.trim());
  return url?.protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u.test(url.hostname);
}
