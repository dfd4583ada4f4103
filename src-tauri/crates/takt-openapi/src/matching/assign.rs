//! Assigns rows to columns with the greatest sum of scores, each used once (the Hungarian algorithm).

use pathfinding::{kuhn_munkres::kuhn_munkres, matrix::Matrix};

/// The number of columns above which the greedy assignment is used. No operation has so many fields.
const MAX_COLUMNS: usize = 6_000;
const WEIGHT_OF_ONE: f64 = 1e12;

/// Returns the column of each row. None if no free column has a score above zero.
pub(crate) fn assign_rows(scores: &[Vec<f64>]) -> Vec<Option<usize>> {
    let columns = scores.iter().map(Vec::len).max().unwrap_or(0);
    let rows = scores.len();
    if rows == 0 || columns == 0 {
        return vec![None; rows];
    }
    if rows.saturating_mul(rows).saturating_mul(columns + rows) > 200_000_000 || columns > MAX_COLUMNS {
        return assign_greedily(scores);
    }
    let score = |row: usize, column: usize| scores.get(row).and_then(|row| row.get(column)).copied().unwrap_or(0.0);
    // One extra column per row lets each row stay unassigned at no cost.
    let weights = Matrix::from_fn(rows, columns + rows, |(row, column)| score_weight(score(row, column)));
    let (_, assigned) = kuhn_munkres(&weights);
    assigned.into_iter().enumerate().map(|(row, column)| (score(row, column) > 0.0).then_some(column)).collect()
}

/// Returns a score as an integer, since integers add up exactly.
#[expect(clippy::cast_possible_truncation, reason = "scores are from 0 to 1")]
fn score_weight(score: f64) -> i64 {
    (score * WEIGHT_OF_ONE).round() as i64
}

/// Assigns the pairs in the order of their scores, the best first.
fn assign_greedily(scores: &[Vec<f64>]) -> Vec<Option<usize>> {
    let cells = scores.iter().enumerate().flat_map(|(row, columns)| {
        columns.iter().enumerate().filter(|(_, score)| **score > 0.0).map(move |(column, score)| (row, column, *score))
    });
    let mut cells: Vec<(usize, usize, f64)> = cells.collect();
    cells.sort_by(|left, right| right.2.total_cmp(&left.2));
    let mut assigned = vec![None; scores.len()];
    let mut used = std::collections::HashSet::new();
    for (row, column, _) in cells {
        if let Some(slot @ None) = assigned.get_mut(row)
            && used.insert(column)
        {
            *slot = Some(column);
        }
    }
    assigned
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Returns the greatest sum of scores over all possible assignments.
    fn greatest_sum(rows: &[Vec<f64>], used: &mut [bool]) -> f64 {
        let Some((row, others)) = rows.split_first() else { return 0.0 };
        let mut greatest = greatest_sum(others, used);
        for (column, score) in row.iter().enumerate() {
            if !used[column] {
                used[column] = true;
                greatest = greatest.max(score + greatest_sum(others, used));
                used[column] = false;
            }
        }
        greatest
    }

    #[test]
    fn no_other_assignment_has_a_greater_sum() {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        for round in 0..2_000 {
            let (rows, columns) = (random.random_range(0..6), random.random_range(0..6));
            // Every second table has many equal scores.
            let mut score = || match round % 2 {
                0 => f64::from(random.random_range(0..4_u8)) / 4.0,
                _ => random.random_range(-0.3_f64..1.0).max(0.0),
            };
            let scores: Vec<Vec<f64>> = (0..rows).map(|_| (0..columns).map(|_| score()).collect()).collect();
            let assigned = assign_rows(&scores);
            let mut used = vec![false; columns];
            let mut sum = 0.0;
            for (row, column) in assigned.iter().enumerate() {
                let Some(column) = *column else { continue };
                assert!(!std::mem::replace(&mut used[column], true) && scores[row][column] > 0.0, "{scores:?}");
                sum += scores[row][column];
            }
            let greatest = greatest_sum(&scores, &mut vec![false; columns]);
            assert!((sum - greatest).abs() < 1e-9, "{sum} of {greatest}: {scores:?}");
            assert_eq!(assign_rows(&scores), assigned);
        }
    }

    #[test]
    fn of_equal_scores_the_first_row_and_column_go_first() {
        assert_eq!(assign_rows(&[vec![0.5, 0.5], vec![0.5, 0.5]]), [Some(0), Some(1)]);
        assert_eq!(assign_rows(&[vec![0.5], vec![0.5]]), [Some(0), None]);
    }

    #[test]
    fn large_tables_go_by_the_best_score() {
        let mut row = vec![0.0; MAX_COLUMNS + 1];
        (row[0], row[1]) = (1.0, 0.85);
        let mut other = row.clone();
        (other[0], other[1]) = (0.9, 0.1);
        assert_eq!(assign_rows(&[row, other]), [Some(0), Some(1)]);
    }

    #[test]
    fn the_greatest_sum_wins_over_the_greatest_score() {
        let scores = [vec![1.0, 0.85, 0.0], vec![0.9, 0.1, 0.0], vec![0.0, 0.0, 0.0]];
        assert_eq!(assign_rows(&scores), [Some(1), Some(0), None]);
        assert_eq!(assign_greedily(&scores), [Some(0), Some(1), None]);
        assert_eq!(assign_rows(&[]), []);
        assert_eq!(assign_rows(&[vec![], vec![]]), [None, None]);
    }
}
