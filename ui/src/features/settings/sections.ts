/** The sections with the IDs of their headings, in order, and the locale keys of their names. */
export const SETTINGS_SECTIONS = [
  { id: 'sites', name: 'settings.sites' },
  { id: 'secrets', name: 'vault.title' },
  { id: 'receiver', name: 'receiver.name' },
  { id: 'appearance', name: 'settings.appearance' },
  { id: 'storage', name: 'storage.title' },
  { id: 'team', name: 'team.title' },
  { id: 'about', name: 'settings.about' },
] as const;
