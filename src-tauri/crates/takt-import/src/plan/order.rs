//! The order of steps. Steps that others refer to come first, otherwise the workbook's order counts.

/// Returns the order of `count` steps, as positions. No step is before one that it waits for. In cycles, the workbook's
/// order counts.
pub(super) fn order(count: usize, waits_for: &dyn Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut left: Vec<usize> = (0..count).collect();
    let mut order = Vec::with_capacity(count);
    while !left.is_empty() {
        let free = |&step: &usize| !left.iter().any(|&other| other != step && waits_for(step, other));
        let next = left.iter().position(free).unwrap_or(0);
        order.push(left.remove(next));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_referred_to_goes_first_and_else_the_workbook_decides() {
        let waits = |pairs: &'static [(usize, usize)]| move |step, other| pairs.contains(&(step, other));
        assert_eq!(order(3, &waits(&[])), [0, 1, 2]);
        assert_eq!(order(3, &waits(&[(0, 2), (2, 1)])), [1, 2, 0]);
        assert_eq!(order(4, &waits(&[(1, 3), (3, 1), (0, 1)])), [2, 0, 1, 3], "a circle has no order of its own");
    }
}
