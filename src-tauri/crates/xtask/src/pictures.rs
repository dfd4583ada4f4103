//! `cargo xtask pictures [VARIANT]`: takes pictures of every page of the window, including those in the help.
//! `tests/window/page_pictures.rs` drives the window, and `convert` (ImageMagick) reduces the colors.

use std::{fs, path::Path};

use crate::{
    console::{print, timed},
    error::XtaskError,
    paths,
    process::{cargo, program, show_output},
    setup,
};

/// The variant of the pictures that the help contains.
const HELP_VARIANT: &str = "light";
/// The help pages with pictures, each with the picture's name.
const HELP_PICTURES: [(&str, &str); 19] = [
    ("today", "today"),
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
/// The width and number of colors. They keep the pictures sharp, and small enough to be embedded in the program.
const WIDTH: &str = "960x";
const COLORS: &str = "64";

pub(crate) fn run(arguments: &[String]) -> Result<(), XtaskError> {
    let only = arguments.first().map_or("", String::as_str);
    setup::prepare(setup::Purpose::Tests)?;
    timed("building the user interface", || {
        let mut command = program("npm");
        command.args(["run", "build"]).current_dir(paths::root().join("ui"));
        show_output(command)
    })?;
    let features = "--features=xtask/samples";
    timed("building the window", || {
        show_output(cargo(["build", "--workspace", "--exclude=takt-bench", "--bins", features]))
    })?;
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
        show_output(command)
    })?;
    let pictures = paths::target().join("debug/test-results/pictures");
    print(&pictures.display().to_string());
    if only.is_empty() || only == HELP_VARIANT {
        timed("pictures of the help", || draw_help(&pictures.join(HELP_VARIANT)))
    } else {
        Ok(())
    }
}

fn draw_help(pictures: &Path) -> Result<(), XtaskError> {
    let folder = paths::root().join("docs/help/pictures");
    fs::create_dir_all(&folder).map_err(XtaskError::file(&folder))?;
    for (page, picture) in HELP_PICTURES {
        draw(&pictures.join(format!("{picture}.png")), &folder.join(format!("{page}.png")))?;
    }
    Ok(())
}

fn draw(from: &Path, to: &Path) -> Result<(), XtaskError> {
    let mut command = program("convert");
    command.arg(from).args(["-resize", WIDTH, "-colors", COLORS, "-strip"]).arg(format!("PNG8:{}", to.display()));
    show_output(command)
}
