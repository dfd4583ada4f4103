import type english from '@/locales/en.json';

// The compiler checks keys against the English file.
declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'ui';
    resources: { ui: typeof english };
  }
}
