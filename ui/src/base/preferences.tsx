import { useColorScheme, useMediaQuery } from '@mantine/hooks';
import { type ReactNode, createContext, use, useCallback, useEffect, useMemo, useState } from 'react';

import { type Density, type Language, type Preferences, commands } from '@/ipc/bindings';
import { switchLanguage, systemLanguage } from './words';

/** The color scheme in use, after applying the system's setting. */
export type ColorScheme = 'light' | 'dark' | 'contrast';

type PreferencesContextValue = {
  preferences: Preferences;
  shown: ColorScheme;
  language: Language;
  density: Density;
  change: (some: Partial<Preferences>) => void;
  /** Applies preferences changed in another window, without saving them. */
  follow: (preferences: Preferences) => void;
};

const PreferencesContext = createContext<PreferencesContextValue | null>(null);

/** Applies language, color scheme and density to the document, and saves changes. */
export function PreferencesProvider({ first, children }: { first: Preferences; children: ReactNode }) {
  const [preferences, setPreferences] = useState(first);
  const scheme = useColorScheme(undefined, { getInitialValueInEffect: false });
  const strong = useMediaQuery('(prefers-contrast: more)', false, { getInitialValueInEffect: false });
  const shown = preferences.look === 'system' ? system(scheme, strong) : preferences.look;
  const language = preferences.language ?? systemLanguage();
  const { density } = preferences;

  useEffect(() => {
    document.documentElement.dataset.look = shown;
    document.documentElement.dataset.density = density;
  }, [shown, density]);
  useEffect(() => {
    void switchLanguage(language);
    commands.languageSet(language).catch(() => undefined);
  }, [language]);

  const change = useCallback(
    (some: Partial<Preferences>) => {
      const next = { ...preferences, ...some };
      setPreferences(next);
      // The change is applied before it is saved. If saving fails, it lasts until Takt is closed.
      commands.preferencesSave(next).catch(() => undefined);
    },
    [preferences],
  );
  const value = useMemo(
    () => ({ preferences, shown, language, density, change, follow: setPreferences }),
    [preferences, shown, language, density, change],
  );
  return <PreferencesContext value={value}>{children}</PreferencesContext>;
}

export function usePreferences(): PreferencesContextValue {
  const value = use(PreferencesContext);
  if (!value) throw new Error('outside PreferencesProvider');
  return value;
}

function system(scheme: 'light' | 'dark' | 'auto', strong: boolean): ColorScheme {
  if (strong) return 'contrast';
  return scheme === 'dark' ? 'dark' : 'light';
}
