import {
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
  createTheme,
  defaultVariantColorsResolver,
} from '@mantine/core';

const petrol: MantineColorsTuple = [
  'var(--takt-accent-soft)',
  'var(--takt-accent-soft)',
  'var(--takt-accent-soft)',
  'var(--takt-accent)',
  'var(--takt-accent)',
  'var(--takt-accent)',
  'var(--takt-accent)',
  'var(--takt-accent-strong)',
  'var(--takt-accent-strong)',
  'var(--takt-accent-strong)',
];

/** Mantine's grays by use: backgrounds, lines, secondary text, text. */
const gray: MantineColorsTuple = [
  'var(--takt-surface)',
  'var(--takt-sunk)',
  'var(--takt-line)',
  'var(--takt-line)',
  'var(--takt-line-strong)',
  'var(--takt-muted)',
  'var(--takt-muted)',
  'var(--takt-text)',
  'var(--takt-text)',
  'var(--takt-text)',
];

const dark: MantineColorsTuple = [
  'var(--takt-text)',
  'var(--takt-text)',
  'var(--takt-muted)',
  'var(--takt-muted)',
  'var(--takt-line-strong)',
  'var(--takt-sunk)',
  'var(--takt-surface)',
  'var(--takt-ground)',
  'var(--takt-sunk)',
  'var(--takt-sunk)',
];

/** Text on a filled background follows the color scheme. Mantine's default is always white. */
const resolveVariantColors: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  if (input.variant !== 'filled') return colors;
  return { ...colors, color: input.color === 'red' ? 'var(--takt-on-bad)' : 'var(--takt-on-accent)' };
};

/** Mantine's theme with the window's tokens. */
export const theme = createTheme({
  primaryColor: 'petrol',
  colors: { petrol, gray, dark },
  white: 'var(--takt-white)',
  black: 'var(--takt-text)',
  fontFamily: 'var(--takt-font)',
  fontFamilyMonospace: 'var(--takt-mono)',
  defaultRadius: 'var(--takt-radius)',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  variantColorResolver: resolveVariantColors,
  components: {
    // Floating elements stay inside the landmark of the page that opened them.
    Portal: { defaultProps: { target: '#floating' } },
    Button: { defaultProps: { size: 'sm' } },
    TextInput: { defaultProps: { size: 'sm' } },
    PasswordInput: { defaultProps: { size: 'sm' } },
    NumberInput: { defaultProps: { size: 'sm' } },
    Textarea: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: { size: 'sm', checkIconPosition: 'right' } },
    Checkbox: { defaultProps: { size: 'xs', iconColor: 'var(--takt-on-accent)' } },
    // Without a transition, the bar never shows less than the number beside it.
    Progress: { defaultProps: { transitionDuration: 0 } },
    Tooltip: { defaultProps: { openDelay: 300, transitionProps: { duration: 120 }, withinPortal: true } },
    // By default, an opened menu focuses an invisible placeholder. Without it, the first item gets the focus at once.
    Menu: { defaultProps: { shadow: 'md', transitionProps: { duration: 120 }, withInitialFocusPlaceholder: false } },
    Modal: { defaultProps: { centered: true, transitionProps: { duration: 120 } } },
  },
});

const roleColors = {
  '--mantine-color-body': 'var(--takt-ground)',
  '--mantine-color-text': 'var(--takt-text)',
  '--mantine-color-bright': 'var(--takt-text)',
  '--mantine-color-dimmed': 'var(--takt-muted)',
  '--mantine-color-placeholder': 'var(--takt-muted)',
  '--mantine-color-anchor': 'var(--takt-accent)',
  '--mantine-color-error': 'var(--takt-bad)',
  '--mantine-color-success': 'var(--takt-good)',
  '--mantine-color-default': 'var(--takt-ground)',
  '--mantine-color-default-hover': 'var(--takt-sunk)',
  '--menu-item-hover': 'var(--takt-sunk)',
  '--mantine-color-default-color': 'var(--takt-text)',
  '--mantine-color-default-border': 'var(--takt-line-strong)',
  '--mantine-color-disabled': 'var(--takt-sunk)',
  '--mantine-color-disabled-color': 'var(--takt-muted)',
  '--mantine-color-disabled-border': 'var(--takt-line)',
  '--mantine-color-petrol-filled': 'var(--takt-accent)',
  '--mantine-color-petrol-filled-hover': 'var(--takt-accent-strong)',
  '--mantine-color-petrol-light': 'var(--takt-accent-soft)',
  '--mantine-color-petrol-light-hover': 'var(--takt-accent-soft)',
  '--mantine-color-petrol-light-color': 'var(--takt-accent)',
  '--mantine-color-petrol-outline': 'var(--takt-accent)',
  '--mantine-color-petrol-outline-hover': 'var(--takt-accent-soft)',
  '--mantine-color-petrol-text': 'var(--takt-accent)',
  '--mantine-color-gray-light': 'var(--takt-sunk)',
  '--mantine-color-gray-light-hover': 'var(--takt-sunk)',
  '--mantine-color-gray-light-color': 'var(--takt-muted)',
  '--mantine-color-gray-outline': 'var(--takt-muted)',
  '--mantine-color-gray-text': 'var(--takt-muted)',
  '--mantine-primary-color-contrast': 'var(--takt-on-accent)',
  '--mantine-color-red-filled': 'var(--takt-bad)',
  '--mantine-color-red-filled-hover': 'var(--takt-bad-strong)',
  '--mantine-color-red-outline': 'var(--takt-bad)',
  '--mantine-color-red-light': 'var(--takt-sunk)',
  '--mantine-color-red-light-hover': 'var(--takt-sunk)',
  '--mantine-color-red-light-color': 'var(--takt-bad)',
  '--mantine-color-red-text': 'var(--takt-bad)',
};

/** All color schemes use the same variables, because the values of the tokens differ by scheme. */
export const themeVariables: CSSVariablesResolver = () => ({
  variables: { '--mantine-shadow-md': 'var(--takt-shadow)', '--mantine-shadow-xl': 'var(--takt-shadow)' },
  light: roleColors,
  dark: roleColors,
});
