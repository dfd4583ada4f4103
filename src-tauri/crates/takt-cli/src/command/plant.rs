//! `takt plant`: the practice plant alone, for whoever connects another system or rehearses failures.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
    sync::Arc,
    time::Duration,
};

use jiff::Timestamp;
use takt_plant::{Plant, PlantConfig, Target};

use crate::{
    arguments::PlantArguments,
    console::Console,
    ending::{Ending, Failure},
    session::Interruption,
};

/// The most that is read of a file with a secret, in bytes.
const LONGEST_SECRET: u64 = 64 * 1024;

pub(super) async fn run(arguments: PlantArguments, console: &Console) -> Result<Ending, Failure> {
    let mut config = PlantConfig::new(Arc::new(Timestamp::now));
    config.data = arguments.data;
    config.seed = arguments.seed;
    config.size = arguments.size;
    config.time_zone = arguments.time_zone;
    config.pace = arguments.clock;
    config.faults = arguments.faults;
    config.fault_seed = arguments.fault_seed;
    if let Some(limit) = arguments.rate_limit {
        config.rate_limit = limit;
    }
    if let Some(seconds) = arguments.token_lifetime {
        config.token_lifetime = Duration::from_secs(seconds);
    }
    let secret = arguments.events_secret_file.as_deref().map(read_secret).transpose()?;
    let target = |url: String| Target { url, secret: secret.clone(), events: Vec::new() };
    config.targets = arguments.targets.into_iter().map(target).collect();
    let mut interruption = Interruption::listen()?;
    let started = Plant::start(config, arguments.listen).await;
    let plant = started.map_err(|error| Failure::Usage("plant.failed", vec![("reason", error.to_string())]))?;
    console.json(&plant);
    interruption.next().await;
    plant.stop().await;
    Ok(Ending::Done)
}

/// The first line of a file. A line break at its end, and the mark that some editors put at its begin, are no part of it.
fn read_secret(file: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    let read = File::open(file).and_then(|file| file.take(LONGEST_SECRET).read_to_string(&mut text));
    let secret = text.lines().next().unwrap_or_default().trim_start_matches('\u{FEFF}');
    let empty = || io::Error::from(io::ErrorKind::UnexpectedEof);
    match read.and_then(|_| if secret.is_empty() { Err(empty()) } else { Ok(secret.to_owned()) }) {
        Ok(secret) => Ok(secret),
        Err(error) => {
            let named = vec![("file", file.display().to_string()), ("reason", error.to_string())];
            Err(Failure::Usage("plant.no-secret", named))
        }
    }
}
