//! Responses to reads of lists are malformed, incomplete or contradictory while rows are read back. No row's result may
//! contradict the plant's log.

use std::time::Duration;

use crate::crash::{
    dice::Dice,
    fixture::{Fixture, Kill},
    kills::{check_outcomes, format_table, seed_from_env},
    load,
};

const FILES: u32 = 6;
/// Links per file. The plant has enough links for all files.
const LINKS: usize = 12;

#[tokio::test]
async fn no_row_is_reported_against_the_log_while_lists_are_wrong() {
    let seed = seed_from_env();
    let (mut fixture, mut dice) = (Fixture::with_faulty_lists(seed).await, Dice::new(seed));
    let mut links = fixture.plant.state("template-processes").await;
    let mut outcomes = Vec::new();
    for file in 0..FILES {
        let number = fixture.next_number();
        let load = match file % 3 {
            0 => load::links_file(number, &links.split_off(links.len() - LINKS)),
            1 => load::orders_file(number),
            _ => load::plan_workbook(number),
        };
        let kills: Vec<Kill> = match file {
            0..3 => Vec::new(),
            _ => vec![Kill::AfterStored(Duration::from_millis(dice.below(2_000)))],
        };
        let what = format!("{}, {} kills", load.name, kills.len());
        outcomes.push(fixture.run_file(what, &load, number, &kills).await);
    }
    println!("TAKT_CRASH_SEED={seed}, {} lists were wrong\n{}", fixture.faulty_read_count(), format_table(&outcomes));
    assert!(fixture.faulty_read_count() > 0, "no list was read while they were wrong");
    check_outcomes(seed, &outcomes);
}
