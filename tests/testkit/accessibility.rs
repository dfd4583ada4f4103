//! Starts a session bus with the accessibility bus, and reads the window's controls like a screen reader: from the
//! AT-SPI tree. Linux only.

use std::{collections::HashMap, process::Command, time::Duration};

use dbus::{
    Path,
    blocking::{Connection, Proxy, stdintf::org_freedesktop_dbus::Properties},
    channel::Channel,
};

use crate::Program;

const START_TIMEOUT: Duration = Duration::from_secs(60);
/// The timeout of one D-Bus call. The window responds between two frames, which take long on a busy machine.
const CALL_TIMEOUT: Duration = Duration::from_secs(20);
const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";
const TEXT: &str = "org.a11y.atspi.Text";
/// The character that AT-SPI puts into a text for each embedded control.
const CONTROL: char = '\u{fffc}';
/// The maximum number of controls per reading, in case of an endless tree. Real pages have a few hundred.
const MAX_CONTROLS: usize = 20_000;
/// The maximum depth, in case a program reports a cycle.
const MAX_LEVELS: usize = 60;

/// A session bus with the accessibility bus. The buses end when the guard is dropped.
#[derive(Debug)]
pub struct AccessibilityBus {
    _bus: Program,
    address: String,
    accessibility_address: String,
    _folder: tempfile::TempDir,
}

/// A control with the data that a screen reader gets.
#[derive(Debug, Default, Clone)]
pub struct Accessible {
    /// The ARIA role, such as `button` or `gridcell`. Empty for plain text and for controls outside the page.
    pub role: String,
    pub name: String,
    /// The control's own text, without embedded controls.
    pub own_text: String,
    /// AT-SPI attributes, such as `tag`, `live` and `level`.
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
        let address = bus.first_line(START_TIMEOUT).trim().to_owned();
        let session = connection(&address);
        let status = Proxy::new("org.a11y.Bus", "/org/a11y/bus", START_TIMEOUT, &session);
        let (accessibility_address,): (String,) = status
            .method_call("org.a11y.Bus", "GetAddress", ())
            .expect("the accessibility bus starts: `cargo xtask setup` installs it");
        for setting in ["IsEnabled", "ScreenReaderEnabled"] {
            status.set("org.a11y.Status", setting, true).expect("a screen reader can be announced");
        }
        Self { _bus: bus, address, accessibility_address, _folder: folder }
    }

    /// Returns the value for `$DBUS_SESSION_BUS_ADDRESS`.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Reads the tree of all programs on this bus.
    #[must_use]
    pub fn read(&self) -> Accessible {
        let connection = connection(&self.accessibility_address);
        let root = ("org.a11y.atspi.Registry".to_owned(), Path::from("/org/a11y/atspi/accessible/root"));
        let mut left = MAX_CONTROLS;
        read(&connection, &root, 0, &mut left)
    }
}

impl Accessible {
    /// Returns this control and all its descendants in document order.
    #[must_use]
    pub fn self_and_descendants(&self) -> Vec<&Self> {
        let below = self.children.iter().flat_map(Self::self_and_descendants);
        std::iter::once(self).chain(below).collect()
    }

    #[must_use]
    pub fn with_role(&self, role: &str) -> Vec<&Self> {
        self.self_and_descendants().into_iter().filter(|control| control.role == role).collect()
    }

    /// Returns the control's name, or the text of its subtree if it has no name.
    #[must_use]
    pub fn text(&self) -> String {
        if !self.name.trim().is_empty() {
            return self.name.trim().to_owned();
        }
        let own = std::iter::once(self.own_text.trim().to_owned());
        let parts: Vec<String> =
            own.chain(self.children.iter().map(Self::text)).filter(|text| !text.is_empty()).collect();
        parts.join(" ")
    }

    /// Returns whether a screen reader announces changes in this control.
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

/// Reads a control and its descendants. Omits controls that disappear in the meantime.
fn read(connection: &Connection, reference: &Reference, level: usize, left: &mut usize) -> Accessible {
    let (program, path) = reference;
    let proxy = Proxy::new(program.as_str(), path.clone(), CALL_TIMEOUT, connection);
    let Ok(name) = proxy.get(ACCESSIBLE, "Name") else { return Accessible::default() };
    let attributes = proxy.method_call::<(HashMap<String, String>,), _, _, _>(ACCESSIBLE, "GetAttributes", ());
    let attributes = attributes.map(|(all,)| all).unwrap_or_default();
    let own_text = proxy.method_call::<(String,), _, _, _>(TEXT, "GetText", (0_i32, -1_i32));
    let own_text = own_text.map(|(text,)| text.replace(CONTROL, "")).unwrap_or_default();
    let role = attributes.get("computed-role").cloned().unwrap_or_default();
    let count: i32 = if level < MAX_LEVELS { proxy.get(ACCESSIBLE, "ChildCount").unwrap_or(0) } else { 0 };
    let mut children = Vec::new();
    // Children are read one by one. A call for all children omits controls of other processes, such as the page.
    for index in 0..count {
        let Some(rest) = left.checked_sub(1) else { break };
        *left = rest;
        if let Ok((child,)) = proxy.method_call::<(Reference,), _, _, _>(ACCESSIBLE, "GetChildAtIndex", (index,)) {
            children.push(read(connection, &child, level + 1, left));
        }
    }
    Accessible { role, name, own_text, attributes, children }
}
