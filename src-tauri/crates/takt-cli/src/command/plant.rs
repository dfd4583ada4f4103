//! `takt plant`: runs the practice plant alone, to connect other systems or to rehearse failures.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use takt_plant::{Plant, PlantConfig, Target};

use super::rehearsal::Rehearsal;
use crate::{
    arguments::PlantArguments,
    console::Console,
    exit_codes::{ExitStatus, Failure},
    secret_file,
    session::Interruption,
};

pub(super) async fn run(arguments: PlantArguments, console: &Console) -> Result<ExitStatus, Failure> {
    let mut config = PlantConfig::new(Arc::new(Timestamp::now));
    config.data = arguments.data;
    config.seed = arguments.seed;
    config.size = arguments.size;
    config.time_zone = arguments.time_zone;
    config.pace = arguments.clock;
    config.redirect_uris.splice(0..0, arguments.redirect_uris);
    config.faults = arguments.faults;
    config.fault_seed = arguments.fault_seed;
    if let Some(limit) = arguments.rate_limit {
        config.rate_limit = limit;
    }
    if let Some(seconds) = arguments.token_lifetime {
        config.token_lifetime = Duration::from_secs(seconds);
    }
    let secrets = arguments.events_secret_file.as_deref().map(secret_file::read).transpose()?;
    let secret = secrets.and_then(|secrets| secrets.into_iter().next());
    let target = |url: String| Target { url, secret: secret.clone(), events: Vec::new() };
    config.targets = arguments.targets.into_iter().map(target).collect();
    let mut interruption = Interruption::listen()?;
    let rehearsal = match &arguments.from_site {
        Some(original) => match Rehearsal::read(original, arguments.mask_people, &mut interruption, console).await? {
            Some(rehearsal) => Some(rehearsal),
            None => return Ok(ExitStatus::Interrupted),
        },
        None => None,
    };
    if let Some(rehearsal) = &rehearsal {
        rehearsal.configure(&mut config)?;
    }
    let started = Plant::start(config, arguments.listen).await;
    let plant = started.map_err(|error| Failure::Usage("plant.failed", vec![("reason", error.to_string())]))?;
    match rehearsal {
        Some(rehearsal) => rehearsal.add_site(&plant, console)?,
        None => console.print_json(&plant),
    }
    interruption.next().await;
    plant.stop().await;
    Ok(ExitStatus::Done)
}
