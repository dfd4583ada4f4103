//! What a screen reader gets: a session bus with the accessibility bus on it, and the tree of the window's controls as AT-SPI
//! gives it to any reader. Linux only.

use std::{collections::HashMap, process::Command, time::Duration};

use dbus::{
    Path,
    blocking::{Connection, Proxy, stdintf::org_freedesktop_dbus::Properties},
    channel::Channel,
};

use crate::Program;

const START: Duration = Duration::from_secs(60);
/// For one question. The window answers between two frames.
const LIMIT: Duration = Duration::from_secs(20);
const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";
const TEXT: &str = "org.a11y.atspi.Text";
/// Stands in a text for each control within it.
const CONTROL: char = '\u{fffc}';
/// More can't be asked for within reason; what a test looks at has some hundreds.
const MAX_CONTROLS: usize = 20_000;
/// The tree has an end at every program; a faulty one could lead in circles.
const MAX_LEVELS: usize = 60;

/// The buses end with their guard.
#[derive(Debug)]
pub struct AccessibilityBus {
    _bus: Program,
    address: String,
    reader: String,
    _folder: tempfile::TempDir,
}

/// A control as it is told to a screen reader.
#[derive(Debug, Default, Clone)]
pub struct Accessible {
    /// In ARIA's words: `button`, `gridcell`, …; empty for what the page doesn't draw, and for plain text.
    pub role: String,
    pub name: String,
    /// What is written in it, without the controls within it.
    pub written: String,
    /// For example `tag`, `live`, `level`.
    pub attributes: HashMap<String, String>,
    pub children: Vec<Self>,
}

type Reference = (String, Path<'static>);

impl AccessibilityBus {
    #[must_use]
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let mut bus = Command::new("dbus-daemon");
        bus.args(["--session", "--nofork", "--print-address=1"]);
        bus.arg(format!("--address=unix:dir={}", folder.path().display()));
        for name in ["HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME"] {
            bus.env(name, folder.path());
        }
        let mut bus = Program::start("dbus-daemon", bus);
        let address = bus.first_line(START).trim().to_owned();
        let session = connection(&address);
        let status = Proxy::new("org.a11y.Bus", "/org/a11y/bus", START, &session);
        let (reader,): (String,) = status
            .method_call("org.a11y.Bus", "GetAddress", ())
            .expect("the accessibility bus starts: `cargo xtask setup` installs it");
        for setting in ["IsEnabled", "ScreenReaderEnabled"] {
            status.set("org.a11y.Status", setting, true).expect("a screen reader can be announced");
        }
        Self { _bus: bus, address, reader, _folder: folder }
    }

    /// The value for `$DBUS_SESSION_BUS_ADDRESS`.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Everything that the programs on this bus tell of themselves, read anew.
    #[must_use]
    pub fn read(&self) -> Accessible {
        let connection = connection(&self.reader);
        let root = ("org.a11y.atspi.Registry".to_owned(), Path::from("/org/a11y/atspi/accessible/root"));
        let mut left = MAX_CONTROLS;
        read(&connection, &root, 0, &mut left)
    }
}

impl Accessible {
    /// This control and all below it, from above to below.
    #[must_use]
    pub fn all(&self) -> Vec<&Self> {
        let below = self.children.iter().flat_map(Self::all);
        std::iter::once(self).chain(below).collect()
    }

    #[must_use]
    pub fn of_role(&self, role: &str) -> Vec<&Self> {
        self.all().into_iter().filter(|control| control.role == role).collect()
    }

    /// Its own name, or what is written below it, as a reader would say it.
    #[must_use]
    pub fn text(&self) -> String {
        if !self.name.trim().is_empty() {
            return self.name.trim().to_owned();
        }
        let own = std::iter::once(self.written.trim().to_owned());
        let parts: Vec<String> =
            own.chain(self.children.iter().map(Self::text)).filter(|text| !text.is_empty()).collect();
        parts.join(" ")
    }

    /// Whether a change below it is told without being asked for.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.attributes.get("live").is_some_and(|how| how != "off") || ["alert", "status"].contains(&&*self.role)
    }
}

fn connection(address: &str) -> Connection {
    let mut channel = Channel::open_private(address).expect("the bus is there");
    channel.register().expect("the bus takes a client");
    channel.into()
}

/// What goes away while it is read is left out.
fn read(connection: &Connection, reference: &Reference, level: usize, left: &mut usize) -> Accessible {
    let (program, path) = reference;
    let proxy = Proxy::new(program.as_str(), path.clone(), LIMIT, connection);
    let Ok(name) = proxy.get(ACCESSIBLE, "Name") else { return Accessible::default() };
    let attributes = proxy.method_call::<(HashMap<String, String>,), _, _, _>(ACCESSIBLE, "GetAttributes", ());
    let attributes = attributes.map(|(all,)| all).unwrap_or_default();
    let written = proxy.method_call::<(String,), _, _, _>(TEXT, "GetText", (0_i32, -1_i32));
    let written = written.map(|(text,)| text.replace(CONTROL, "")).unwrap_or_default();
    let role = attributes.get("computed-role").cloned().unwrap_or_default();
    let count: i32 = if level < MAX_LEVELS { proxy.get(ACCESSIBLE, "ChildCount").unwrap_or(0) } else { 0 };
    let mut found = Vec::new();
    // One by one: a list of all leaves out what another process draws, which is the page itself.
    for index in 0..count {
        let Some(rest) = left.checked_sub(1) else { break };
        *left = rest;
        if let Ok((child,)) = proxy.method_call::<(Reference,), _, _, _>(ACCESSIBLE, "GetChildAtIndex", (index,)) {
            found.push(read(connection, &child, level + 1, left));
        }
    }
    Accessible { role, name, written, attributes, children: found }
}
