import type english from '@/locales/en.json';

// Keys are checked by the compiler against the English file.
declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'ui';
    resources: { ui: typeof english };
  }
}
