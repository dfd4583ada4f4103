//! `cargo xtask pictures [VARIANT]`: pictures of every page of the window, to look at, and those that the help shows.
//! The window itself is driven by `tests/window/page_pictures.rs`; drawing with fewer colours is left to `convert` (ImageMagick).

use std::{fs, path::Path};

use crate::{
    console::{print, timed},
    error::XtaskError,
    place,
    process::{cargo, program, show},
    setup,
};

/// The variant whose pictures the help shows.
const SHOWN: &str = "light";
/// Each page of the help with the picture that it shows.
const HELP: [(&str, &str); 18] = [
    ("home", "home"),
    ("file", "file"),
    ("columns", "columns"),
    ("check", "check"),
    ("preview", "preview"),
    ("send", "send"),
    ("results", "results"),
    ("browse", "browse-work-orders.list"),
    ("order", "order"),
    ("events", "events-list"),
    ("floor", "events-floor"),
    ("answers", "events-answers"),
    ("forwarding", "forwarding"),
    ("templates", "templates"),
    ("graphql", "graphql"),
    ("history", "history"),
    ("plant", "plant"),
    ("settings", "settings"),
];
/// Small enough to be part of the program, and still sharp.
const WIDTH: &str = "960x";
const COLOURS: &str = "64";

pub(crate) fn run(arguments: &[String]) -> Result<(), XtaskError> {
    let only = arguments.first().map_or("", String::as_str);
    setup::prepare(setup::Purpose::Tests)?;
    timed("building the user interface", || {
        let mut command = program("npm");
        command.args(["run", "build"]).current_dir(place::root().join("ui"));
        show(command)
    })?;
    let features = "--features=xtask/samples";
    timed("building the window", || show(cargo(["build", "--workspace", "--exclude=takt-bench", "--bins", features])))?;
    timed("taking the pictures", || {
        let mut command = cargo([
            "test",
            "--workspace",
            "--exclude=takt-bench",
            features,
            "--test",
            "window",
            "--",
            "--ignored",
            "pictures_of_every_page",
        ]);
        command.env("TAKT_PICTURES", only);
        show(command)
    })?;
    let taken = place::target().join("debug/test-results/pictures");
    print(&taken.display().to_string());
    if only.is_empty() || only == SHOWN {
        timed("pictures of the help", || draw_help(&taken.join(SHOWN)))
    } else {
        Ok(())
    }
}

fn draw_help(taken: &Path) -> Result<(), XtaskError> {
    let folder = place::root().join("docs/help/pictures");
    fs::create_dir_all(&folder).map_err(XtaskError::file(&folder))?;
    for (page, picture) in HELP {
        draw(&taken.join(format!("{picture}.png")), &folder.join(format!("{page}.png")))?;
    }
    Ok(())
}

fn draw(from: &Path, to: &Path) -> Result<(), XtaskError> {
    let mut command = program("convert");
    command.arg(from).args(["-resize", WIDTH, "-colors", COLOURS, "-strip"]).arg(format!("PNG8:{}", to.display()));
    show(command)
}
