/** Others can read on the way what is sent there. */
export function isOpen(address: string): boolean {
  const url = URL.parse(address.trim());
  return url?.protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u.test(url.hostname);
}
