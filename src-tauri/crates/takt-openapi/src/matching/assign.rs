//! The assignment of rows to columns with the greatest sum of scores, each used once (the Hungarian algorithm).

/// Beyond this many columns the best score goes first instead: nobody's operation has so many fields.
const MAX_COLUMNS: usize = 6_000;

/// The column of each row. None where nothing with a score above zero is left for it.
pub(crate) fn assign(scores: &[Vec<f64>]) -> Vec<Option<usize>> {
    let columns = scores.iter().map(Vec::len).max().unwrap_or(0);
    let rows = scores.len();
    if rows == 0 || columns == 0 {
        return vec![None; rows];
    }
    if rows.saturating_mul(rows).saturating_mul(columns + rows) > 200_000_000 || columns > MAX_COLUMNS {
        return greedy(scores);
    }
    // As many columns more as there are rows: each row may stay alone at no cost.
    let width = columns + rows;
    let cost = |row: usize, column: usize| -scores.get(row).and_then(|row| row.get(column)).copied().unwrap_or(0.0);
    let taken = shortest_paths(rows, width, cost);
    let mut assigned = vec![None; rows];
    for (column, row) in taken.into_iter().enumerate() {
        if let Some(row) = row.filter(|row| cost(*row, column) < 0.0)
            && let Some(place) = assigned.get_mut(row)
        {
            *place = Some(column);
        }
    }
    assigned
}

/// The row of each column, by shortest augmenting paths with potentials. Index 0 is a column outside of the matrix.
fn shortest_paths(rows: usize, width: usize, cost: impl Fn(usize, usize) -> f64) -> Vec<Option<usize>> {
    let mut row_potential = vec![0.0; rows + 1];
    let mut column_potential = vec![0.0; width + 1];
    let mut row_of = vec![0_usize; width + 1];
    for row in 1..=rows {
        let mut before = vec![0_usize; width + 1];
        let mut least = vec![f64::INFINITY; width + 1];
        let mut used = vec![false; width + 1];
        row_of[0] = row;
        let mut column = 0;
        loop {
            used[column] = true;
            let current = row_of[column];
            let (mut delta, mut next) = (f64::INFINITY, 0);
            for other in 1..=width {
                if used[other] {
                    continue;
                }
                let reduced = cost(current - 1, other - 1) - row_potential[current] - column_potential[other];
                if reduced < least[other] {
                    (least[other], before[other]) = (reduced, column);
                }
                if least[other] < delta {
                    (delta, next) = (least[other], other);
                }
            }
            for other in 0..=width {
                if used[other] {
                    row_potential[row_of[other]] += delta;
                    column_potential[other] -= delta;
                } else {
                    least[other] -= delta;
                }
            }
            column = next;
            if row_of[column] == 0 {
                break;
            }
        }
        while column != 0 {
            row_of[column] = row_of[before[column]];
            column = before[column];
        }
    }
    row_of.into_iter().skip(1).map(|row| row.checked_sub(1)).collect()
}

/// The best score goes first.
fn greedy(scores: &[Vec<f64>]) -> Vec<Option<usize>> {
    let cells = scores.iter().enumerate().flat_map(|(row, line)| {
        line.iter().enumerate().filter(|(_, score)| **score > 0.0).map(move |(column, score)| (row, column, *score))
    });
    let mut cells: Vec<(usize, usize, f64)> = cells.collect();
    cells.sort_by(|left, right| right.2.total_cmp(&left.2));
    let mut assigned = vec![None; scores.len()];
    let mut used = std::collections::HashSet::new();
    for (row, column, _) in cells {
        if let Some(place @ None) = assigned.get_mut(row)
            && used.insert(column)
        {
            *place = Some(column);
        }
    }
    assigned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_sum_wins_over_the_greatest_score() {
        let scores = [vec![1.0, 0.85, 0.0], vec![0.9, 0.1, 0.0], vec![0.0, 0.0, 0.0]];
        assert_eq!(assign(&scores), [Some(1), Some(0), None]);
        assert_eq!(greedy(&scores), [Some(0), Some(1), None]);
        assert_eq!(assign(&[]), []);
        assert_eq!(assign(&[vec![], vec![]]), [None, None]);
    }
}
