//! Exports and imports a site as a file for colleagues: addresses, contract, mappings, rules and targets. A site file
//! never contains a secret or a path of this computer. It contains no shifts, because they are a list of the site.

use std::{collections::BTreeSet, path::Path};

use serde::{Deserialize, Serialize};
use takt_contract::{overlay::Overlay, without_byte_order_mark};
use takt_core::{Code, Problem, output_file::write_file};
use takt_inbox::{TargetSettings, TargetStart, answers::Rules};
use takt_journal::mapping::MappingRecord;
use takt_sites::{Site, SiteKind};

use crate::Engine;

/// The version of the file format.
const VERSION: u32 = 1;
/// In bytes. Larger files are refused.
const MAX_SITE_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// The content of a site file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SiteFile {
    /// Files of other versions are refused.
    pub version: u32,
    pub site: Site,
    /// Files that the site needs. The user who imports the site file chooses them on their computer.
    #[serde(default)]
    pub own_files: Vec<OwnFile>,
    /// The differences from the built-in contract.
    #[serde(default)]
    pub contract: Option<Overlay>,
    #[serde(default)]
    pub mappings: Vec<SharedMapping>,
    #[serde(default)]
    pub rules: Option<Rules>,
    #[serde(default)]
    pub targets: Vec<SharedTarget>,
}

/// A setting of a site that names a file on this computer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum OwnFile {
    CertificateAuthorities,
    ClientCertificate,
    ClientKey,
}

impl OwnFile {
    const ALL: [Self; 3] = [Self::CertificateAuthorities, Self::ClientCertificate, Self::ClientKey];

    /// Returns the key in the language files.
    #[must_use]
    pub fn name(self) -> String {
        takt_core::words::serialized_name(self)
    }

    fn path_in(self, site: &mut Site) -> &mut Option<String> {
        match self {
            Self::CertificateAuthorities => &mut site.ca_file,
            Self::ClientCertificate => &mut site.network.client_certificate,
            Self::ClientKey => &mut site.network.client_key,
        }
    }
}

/// A mapping with the fingerprint of its headings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SharedMapping {
    pub operation: String,
    pub headings: String,
    pub body: serde_json::Value,
}

/// A target that events are forwarded to. Header values and secrets aren't included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedTarget {
    pub name: String,
    pub address: String,
    pub kinds: Vec<i32>,
}

/// The preview of importing a site file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SiteFilePreview {
    pub name: String,
    pub base_url: String,
    pub auth_url: String,
    /// True if a site of that name exists and would be replaced.
    pub replaces: bool,
    /// The number of operations that the site's contract changes.
    pub operations: u32,
    pub mappings: u32,
    /// The number of mappings for headings that are already mapped. They stay unchanged.
    pub known_mappings: u32,
    pub rules: u32,
    pub targets: u32,
    /// The files to choose on this computer.
    pub own_files: Vec<OwnFile>,
}

/// Imports and exports sites as files.
#[derive(Debug, Clone, Copy)]
pub struct SiteFiles<'a>(&'a Engine);

impl<'a> SiteFiles<'a> {
    /// Creates the importer and exporter for the sites of an engine.
    #[must_use]
    pub fn new(engine: &'a Engine) -> Self {
        Self(engine)
    }

    /// Exports a site to a file.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - [`Code::WriteFailed`]: the file can't be written.
    /// - A [journal code](takt_core::problem#journal-codes): data of the site can't be read.
    pub fn export(&self, name: &str, path: &Path) -> Result<(), Problem> {
        let mut site = self.0.sites().find(name)?;
        let own_files = remove_own_paths(&mut site);
        let overlay = self.0.sites().overlay(name)?;
        let mappings = self.0.mappings.all_mappings()?.into_iter();
        let targets = self.0.inbox().targets().list_blocking()?.into_iter().filter(|target| target.site == name);
        let rules = self.0.answers().rules(name)?;
        let file = SiteFile {
            version: VERSION,
            site,
            own_files,
            contract: (overlay != Overlay::default()).then_some(overlay),
            mappings: mappings
                .map(|MappingRecord { operation, headings, body, .. }| SharedMapping { operation, headings, body })
                .collect(),
            rules: (rules.version > 0).then_some(rules.rules),
            targets: targets
                .map(|target| SharedTarget { name: target.name, address: target.address, kinds: target.kinds })
                .collect(),
        };
        let text = serde_json::to_vec_pretty(&file).map_err(|error| Problem::new(Code::Bug).details(error))?;
        write_file(path, &text)
    }

    /// Previews the import of a site file without changing anything.
    ///
    /// # Errors
    ///
    /// - [`Code::FileUnreadable`], [`Code::FileTooLarge`]: the file can't be read.
    /// - [`Code::SiteFileRefused`]: it isn't a site file of this version. The details contain the reason.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn preview(&self, path: &Path) -> Result<SiteFilePreview, Problem> {
        let file = read_site_file(path)?;
        let known: BTreeSet<(String, String)> =
            self.0.mappings.all_mappings()?.into_iter().map(|mapping| (mapping.operation, mapping.headings)).collect();
        let is_known =
            |mapping: &&SharedMapping| known.contains(&(mapping.operation.clone(), mapping.headings.clone()));
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Ok(SiteFilePreview {
            replaces: self.0.sites().find(&file.site.name).is_ok(),
            operations: count(file.contract.as_ref().map_or(0, |overlay| overlay.operations.len())),
            mappings: count(file.mappings.len()),
            known_mappings: count(file.mappings.iter().filter(is_known).count()),
            rules: count(file.rules.as_ref().map_or(0, |rules| rules.rules.len())),
            targets: count(file.targets.len()),
            own_files: self.files_to_choose(&file),
            name: file.site.name,
            base_url: file.site.base_url,
            auth_url: file.site.auth_url,
        })
    }

    /// Returns the files that the user must choose, because no existing site of that name has them.
    fn files_to_choose(&self, file: &SiteFile) -> Vec<OwnFile> {
        let known = self.0.sites().find(&file.site.name).ok();
        let is_set = |own: &OwnFile| known.clone().is_some_and(|mut known| own.path_in(&mut known).is_some());
        file.own_files.iter().copied().filter(|own| !is_set(own)).collect()
    }

    /// Returns the site that a site file would set up. A file can't allow unencrypted addresses or change a production
    /// site's kind.
    ///
    /// # Errors
    ///
    /// As for [`Self::preview`].
    pub fn load_site(&self, path: &Path) -> Result<Site, Problem> {
        let mut site = read_site_file(path)?.site;
        // A colleague's file must not allow unencrypted connections, or turn off the confirmations for production.
        let known = self.0.sites().find(&site.name).ok();
        for own in OwnFile::ALL {
            *own.path_in(&mut site) = known.clone().and_then(|mut known| own.path_in(&mut known).take());
        }
        site.allow_http = known.as_ref().is_some_and(|known| known.allow_http && known.base_url == site.base_url);
        if known.is_some_and(|known| known.kind == SiteKind::Production) {
            site.kind = SiteKind::Production;
        }
        Ok(site)
    }

    /// Imports a site file. Its rules are turned off and its targets paused. Existing mappings stay unchanged. A file
    /// can't allow unencrypted addresses or change a production site's kind.
    ///
    /// # Errors
    ///
    /// As for [`Self::preview`]. Also the errors of saving a site, and of an invalid rule.
    pub fn import(&self, path: &Path) -> Result<SiteFilePreview, Problem> {
        let preview = self.preview(path)?;
        let site = self.load_site(path)?;
        let name = site.name.clone();
        let targets = self.set_up_site(path, site)?;
        let known: BTreeSet<String> = self
            .0
            .inbox()
            .targets()
            .list_blocking()?
            .into_iter()
            .filter(|target| target.site == name)
            .map(|target| target.name)
            .collect();
        for target in targets.into_iter().filter(|target| !known.contains(&target.name)) {
            let SharedTarget { name: target, address, kinds } = target;
            let settings =
                TargetSettings { name: target, address, kinds, headers: Vec::new(), secret: None, allow_http: false };
            let id = self.0.inbox().targets().add(&name, &settings, &TargetStart::Now)?;
            self.0.inbox().targets().pause(&name, id)?;
        }
        Ok(preview)
    }

    /// Sets up a site with the contract, mappings and rules of a file, and returns the file's targets.
    pub(crate) fn set_up_site(&self, path: &Path, site: Site) -> Result<Vec<SharedTarget>, Problem> {
        let SiteFile { contract, mappings, rules, targets, .. } = read_site_file(path)?;
        let name = site.name.clone();
        self.0.save_site(site, None)?;
        if let Some(overlay) = contract {
            self.0.contracts().apply_overlay(&name, &overlay, &file_name(path))?;
        }
        self.0
            .mappings
            .add_mappings(mappings.into_iter().map(|mapping| (mapping.operation, mapping.headings, mapping.body)))?;
        if let Some(mut rules) = rules {
            rules.rules.iter_mut().for_each(|rule| rule.on = false);
            self.0.answers().save(&name, &rules)?;
        }
        Ok(targets)
    }
}

/// Removes this computer's paths from a site's settings, and returns the files that had one.
fn remove_own_paths(site: &mut Site) -> Vec<OwnFile> {
    OwnFile::ALL.into_iter().filter(|own| own.path_in(site).take().is_some_and(|path| !path.is_empty())).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn read_site_file(path: &Path) -> Result<SiteFile, Problem> {
    let unreadable = |cause| Problem::new(Code::FileUnreadable).parameter("file", file_name(path)).details(cause);
    if std::fs::metadata(path).map_err(unreadable)?.len() > MAX_SITE_FILE_BYTES {
        return Err(Problem::new(Code::FileTooLarge).parameter("file", file_name(path)));
    }
    let invalid_file = || Problem::new(Code::SiteFileRefused).parameter("file", file_name(path));
    let text = std::fs::read(path).map_err(unreadable)?;
    let mut file: SiteFile =
        serde_json::from_slice(without_byte_order_mark(&text)).map_err(|cause| invalid_file().details(cause))?;
    // A file of an earlier version may contain paths of another computer.
    for own in remove_own_paths(&mut file.site) {
        if !file.own_files.contains(&own) {
            file.own_files.push(own);
        }
    }
    if file.version == VERSION { Ok(file) } else { Err(invalid_file().details(format!("version {}", file.version))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_a_computer_are_taken_out_and_named() {
        let mut site: Site = serde_json::from_value(serde_json::json!({
            "name": "Works", "kind": "test", "baseUrl": "", "authUrl": "", "clientId": "", "redirectUris": [], "scope": "",
            "timeZone": "", "batchSize": null, "proxy": null, "caFile": "/a.pem",
            "network": { "clientCertificate": "/b.p12", "clientKey": "" },
        }))
        .unwrap();
        assert_eq!(remove_own_paths(&mut site), [OwnFile::CertificateAuthorities, OwnFile::ClientCertificate]);
        let left = serde_json::to_string(&site).unwrap();
        assert!(!left.contains("a.pem") && !left.contains("b.p12"), "{left}");
        assert_eq!(remove_own_paths(&mut site), []);
    }
}
