//! The icons, generated from `icons/takt.svg`. `rsvg-convert` and `convert` (ImageMagick) draw them. This module writes
//! the container of the macOS format.
//!
//! `icons/.source-hash` contains the hash of the drawing, which tidy compares.

use std::{fs, path::Path};

use sha2::{Digest, Sha256};

use crate::{
    console,
    error::XtaskError,
    paths,
    process::{capture_output, exists, program},
};

/// The file names of the PNG icons, with their widths in pixels.
const PICTURES: [(&str, u32); 4] =
    [("32x32.png", 32), ("128x128.png", 128), ("128x128@2x.png", 256), ("icon.png", 512)];
/// The widths in pixels of the pictures in the Windows icon.
const WINDOWS_WIDTHS: [u32; 6] = [16, 24, 32, 48, 64, 256];
/// The types and widths in pixels of the entries in the macOS icon.
const MACOS_ENTRIES: [(&[u8; 4], u32); 7] =
    [(b"ic11", 32), (b"ic12", 64), (b"ic07", 128), (b"ic13", 256), (b"ic08", 256), (b"ic14", 512), (b"ic10", 1024)];

pub(crate) fn generate() -> Result<(), XtaskError> {
    for tool in ["rsvg-convert", "convert"] {
        if !exists(tool) {
            let missing =
                "drawing the icons needs rsvg-convert (package librsvg2-bin) and convert (package imagemagick)";
            return Err(XtaskError::Missing(missing.to_owned()));
        }
    }
    let folder = paths::root().join("icons");
    let drawing = folder.join("takt.svg");
    let scratch = tempfile::tempdir().map_err(XtaskError::file("a temporary folder"))?;
    for (name, width) in PICTURES {
        draw(&drawing, width, &folder.join(name))?;
    }
    write_windows(&drawing, scratch.path(), &folder.join("icon.ico"))?;
    write_macos(&drawing, scratch.path(), &folder.join("icon.icns"))?;
    write(&folder.join(".source-hash"), format!("{}\n", hash(&drawing)?).as_bytes())?;
    console::print("icons are drawn from icons/takt.svg");
    Ok(())
}

/// Returns the hash of a drawing, as `.source-hash` must contain it.
pub(crate) fn hash(drawing: &Path) -> Result<String, XtaskError> {
    let text = fs::read_to_string(drawing).map_err(XtaskError::file(drawing))?;
    // Line endings don't affect the hash, since a checkout on Windows may have others.
    let digest = Sha256::digest(text.replace("\r\n", "\n").as_bytes());
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn draw(drawing: &Path, width: u32, to: &Path) -> Result<(), XtaskError> {
    let mut command = program("rsvg-convert");
    command.arg("--width").arg(width.to_string()).arg(drawing).arg("--output").arg(to);
    capture_output(command).map(drop)
}

fn write_windows(drawing: &Path, scratch: &Path, to: &Path) -> Result<(), XtaskError> {
    let mut command = program("convert");
    for width in WINDOWS_WIDTHS {
        let picture = scratch.join(format!("{width}.png"));
        draw(drawing, width, &picture)?;
        command.arg(picture);
    }
    command.arg(to);
    capture_output(command).map(drop)
}

/// Writes the macOS icon. The file and each picture start with a header of eight bytes: the type and the length.
fn write_macos(drawing: &Path, scratch: &Path, to: &Path) -> Result<(), XtaskError> {
    let mut entries = Vec::new();
    for (kind, width) in MACOS_ENTRIES {
        let picture = scratch.join(format!("{width}.png"));
        draw(drawing, width, &picture)?;
        let bytes = fs::read(&picture).map_err(XtaskError::file(&picture))?;
        entries.extend_from_slice(&with_header(*kind, &bytes));
    }
    write(to, &with_header(*b"icns", &entries))
}

fn with_header(kind: [u8; 4], bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len() + 8).unwrap_or(u32::MAX);
    [&kind[..], &length.to_be_bytes(), bytes].concat()
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), XtaskError> {
    fs::write(path, bytes).map_err(XtaskError::file(path))
}
