import { fateWord } from '@/base/engineWords';
import { useFormats } from '@/base/useFormats';
import { FateSign } from '@/components/marks/StatusMarks';
import { fates } from '@/features/submission';
import type { FateCounts as Counts } from '@/ipc/bindings';
import styles from './history.module.css';

/** The fates that occur, each with its number. */
export function FateCounts({ counts }: { counts: Counts }) {
  const { number } = useFormats();
  return (
    <span className={styles.counts}>
      {fates
        .filter((fate) => counts[fate] > 0)
        .map((fate) => (
          <span key={fate} title={fateWord(fate)}>
            <FateSign fate={fate} /> <span className="number">{number(counts[fate])}</span>
            <span className="hidden"> {fateWord(fate)}</span>
          </span>
        ))}
    </span>
  );
}
