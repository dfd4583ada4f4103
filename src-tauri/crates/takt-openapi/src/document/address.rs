//! Where a document's paths lie at a site: its servers' addresses beside the site's own.

use super::Document;

/// How paths go on from the site's address.
#[derive(Debug, Clone, Default)]
pub(super) enum SitePaths {
    /// With the server's path before them.
    #[default]
    Whole,
    /// Without this, which the site's address has already.
    Below(String),
    /// The address leads through a gateway, and ends as the server's does.
    AfterServer,
}

impl Document {
    /// As the document of a site at this address. A path then leaves out what the address already has: reached by a gateway or
    /// without one, each path is asked for where it is.
    #[must_use]
    pub fn at(mut self, base_url: &str) -> Self {
        let base = path_of(base_url);
        let origin = origin_of(base_url);
        // A document often names every installation that there is.
        if let Some(place) = self.servers.iter().position(|server| origin.is_some() && origin_of(server) == origin) {
            self.servers.swap(0, place);
        }
        self.site_paths = self.site_paths(base);
        self
    }

    /// The part of the first server's address that every path begins with, without a slash at its end.
    #[must_use]
    pub fn base_path(&self) -> &str {
        self.servers.first().map_or("", |server| path_of(server))
    }

    /// An operation's path below the site's address.
    #[must_use]
    pub fn path_at_site(&self, path: &str) -> String {
        let whole = format!("{}{path}", self.base_path());
        match &self.site_paths {
            SitePaths::Whole => whole,
            SitePaths::Below(site) => below(site, &whole).map(str::to_owned).unwrap_or(whole),
            SitePaths::AfterServer => path.to_owned(),
        }
    }

    fn site_paths(&self, site: &str) -> SitePaths {
        let server = self.base_path();
        let is_below = |path: &str| below(site, &format!("{server}{path}")).is_some();
        if site.is_empty() {
            SitePaths::Whole
        } else if self.operations.iter().all(|operation| is_below(&operation.path)) {
            SitePaths::Below(site.to_owned())
        } else if !server.is_empty() && site.ends_with(server) {
            SitePaths::AfterServer
        } else {
            SitePaths::Whole
        }
    }
}

/// What follows a path in another, where that lies below it.
fn below<'a>(base: &str, path: &'a str) -> Option<&'a str> {
    path.strip_prefix(base).filter(|rest| rest.starts_with('/'))
}

/// Scheme and host, where an address has them.
fn origin_of(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    Some(format!("{scheme}://{host}").to_lowercase())
}

fn path_of(address: &str) -> &str {
    let path = match address.split_once("://") {
        Some((_, rest)) => rest.find('/').and_then(|slash| rest.get(slash..)).unwrap_or_default(),
        None if address.starts_with('/') => address,
        None => "",
    };
    path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(servers: &str, base_url: &str) -> String {
        let text =
            format!("openapi: 3.0.1\nservers:\n{servers}paths:\n  /v1/items:\n    get:\n      responses: {{}}\n");
        Document::read(text.as_bytes()).unwrap().at(base_url).path_at_site("/v1/items")
    }

    #[test]
    fn a_path_is_asked_for_where_it_is() {
        for (server, base_url, expected) in [
            ("/mes", "https://mes.example", "/mes/v1/items"),
            ("/mes", "https://mes.example/mes/", "/v1/items"),
            ("/mes", "https://gateway.example/works/mes", "/v1/items"),
            ("/mes", "https://gateway.example/works", "/mes/v1/items"),
            ("/", "https://gateway.example/works", "/v1/items"),
            ("/", "https://mes.example/v1", "/items"),
            ("https://mes.example/mes/api", "https://mes.example/mes", "/api/v1/items"),
            ("/messages", "https://mes.example/mes", "/messages/v1/items"),
        ] {
            assert_eq!(path(&format!("  - url: {server}\n"), base_url), expected, "{server} at {base_url}");
        }
        let two = "  - url: https://test.example/t\n  - url: https://mes.example/p\n";
        assert_eq!(path(two, "https://MES.example"), "/p/v1/items");
    }
}
