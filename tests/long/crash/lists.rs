//! Responses to reads of lists are malformed, incomplete or contradictory while rows are read back. No row's result may
//! contradict the plant's log.

use std::time::Duration;

use crate::crash::{
    dice::Dice,
    kills::{check, seed, table},
    load,
    world::{Kill, World},
};

const FILES: u32 = 6;
/// Links per file. The plant has enough links for all files.
const LINKS: usize = 12;

#[tokio::test]
async fn no_row_is_reported_against_the_log_while_lists_are_wrong() {
    let seed = seed();
    let (mut world, mut dice) = (World::with_wrong_lists(seed).await, Dice::new(seed));
    let mut links = world.plant.state("template-processes").await;
    let mut outcomes = Vec::new();
    for file in 0..FILES {
        let number = world.next();
        let load = match file % 3 {
            0 => load::links(number, &links.split_off(links.len() - LINKS)),
            1 => load::orders(number),
            _ => load::plan(number),
        };
        let kills: Vec<Kill> = match file {
            0..3 => Vec::new(),
            _ => vec![Kill::Into(Duration::from_millis(dice.below(2_000)))],
        };
        let what = format!("{}, {} kills", load.name, kills.len());
        outcomes.push(world.run_file(what, &load, number, &kills).await);
    }
    println!("TAKT_CRASH_SEED={seed}, {} lists were wrong\n{}", world.wrong_lists(), table(&outcomes));
    assert!(world.wrong_lists() > 0, "no list was read while they were wrong");
    check(seed, &outcomes);
}
