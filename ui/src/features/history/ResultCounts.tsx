import { resultWord } from '@/base/engineTexts';
import { useFormats } from '@/base/useFormats';
import { ResultSign } from '@/components/marks/StatusMarks';
import { RESULT_ORDER } from '@/features/submission';
import type { ResultCounts as Counts } from '@/ipc/bindings';
import styles from './history.module.css';

/** Shows the number of rows per result. Results without rows are hidden. */
export function ResultCounts({ counts }: { counts: Counts }) {
  const { number } = useFormats();
  return (
    <span className={styles.counts}>
      {RESULT_ORDER
        .filter((result) => counts[result] > 0)
        .map((result) => (
          <span key={result} title={resultWord(result)}>
            <ResultSign result={result} /> <span className="number">{number(counts[result])}</span>
            <span className="hidden"> {resultWord(result)}</span>
          </span>
        ))}
    </span>
  );
}
