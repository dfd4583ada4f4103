import styles from './label.module.css';

/** A button's words, as wide as the other words that it may have: what stands beside it keeps its place. */
export function SteadyLabel({ label, other }: { label: string; other: string }) {
  return (
    <span className={styles.label} data-other={other}>
      {label}
    </span>
  );
}
