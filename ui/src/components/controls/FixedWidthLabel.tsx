import styles from './label.module.css';

/** A button label as wide as its alternative text, so that the layout doesn't shift. */
export function FixedWidthLabel({ label, other: alternative }: { label: string; other: string }) {
  return (
    <span className={styles.label} data-other={alternative}>
      {label}
    </span>
  );
}
