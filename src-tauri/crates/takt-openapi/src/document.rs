//! A site's document as a bounded model of its operations.
//!
//! | module | purpose |
//! |---|---|
//! | `source` | decoding and parsing of bytes to one JSON value |
//! | `position` | the line of a value, which only faults need |
//! | `structure` | the checks of the structure |
//! | `operation` | operations, their parameters and responses |
//!
//! The available crates with OpenAPI types read one version each (`openapiv3` 3.0, `oas3` 3.1). Both refuse the whole
//! document if one member doesn't fit their types. So the document stays a JSON value, and this module reads the same
//! parts of both versions.

mod operation;
mod position;
mod source;
mod structure;

use serde_json::Value;

use crate::{
    DocumentError,
    error::Fault,
    reference::scalar_text,
    schema::{Node, Schema, resolve},
};

pub use operation::{DocumentOperation, DocumentParameter, DocumentResponse, ParameterLocation, SchemaPointer};

/// An OpenAPI 3.0 or 3.1 document. Its operations are read at once. Its schemas are resolved on request.
///
/// ```
/// use takt_openapi::Document;
///
/// # fn main() -> Result<(), takt_openapi::DocumentError> {
/// let document = Document::read(b"openapi: 3.0.1\npaths:\n  /items:\n    get:\n      responses: {}\n")?;
/// let operation = &document.operations()[0];
/// assert_eq!((operation.method.as_str(), operation.path.as_str()), ("GET", "/items"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Document {
    value: Value,
    title: String,
    version: String,
    servers: Vec<String>,
    site_path_rule: SitePathRule,
    operations: Vec<DocumentOperation>,
    webhooks: Vec<DocumentOperation>,
    external: Vec<String>,
}

impl Document {
    /// Reads a document in JSON or YAML.
    ///
    /// # Errors
    /// Fails if the bytes exceed a limit, or aren't OpenAPI 3.0 or 3.1 in JSON or YAML. Also fails if a part that is
    /// read has a fault.
    pub fn read(bytes: &[u8]) -> Result<Self, DocumentError> {
        let text = source::decode(bytes)?;
        let value = source::parse(&text)?;
        check_version(&value)?;
        let locate = |fault| locate_fault(&text, fault);
        structure::check_structure(&value).map_err(locate)?;
        let mut reader = operation::OperationReader::new(&value);
        let read = reader.read_paths().and_then(|operations| {
            let webhooks = reader.read_webhooks(&operations)?;
            Ok((operations, webhooks))
        });
        let (operations, webhooks) = read.map_err(|error| error.into_document_error(locate))?;
        let external = reader.into_external_references();
        let info = |name: &str| value.pointer(&format!("/info/{name}")).map(scalar_text).unwrap_or_default();
        Ok(Self {
            title: info("title"),
            version: info("version"),
            servers: read_servers(&value),
            site_path_rule: SitePathRule::default(),
            operations,
            webhooks,
            external,
            value,
        })
    }

    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The version of the described service, or an empty text.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The addresses of the servers, with variables replaced by their defaults. Many are relative or missing.
    #[must_use]
    pub fn servers(&self) -> &[String] {
        &self.servers
    }

    /// Every operation, in the document's order.
    #[must_use]
    pub fn operations(&self) -> &[DocumentOperation] {
        &self.operations
    }

    /// The operations that the service calls (`webhooks`, and the `callbacks` of operations), by name.
    #[must_use]
    pub fn webhooks(&self) -> &[DocumentOperation] {
        &self.webhooks
    }

    /// References to other files and addresses. They aren't followed, so their content is unknown.
    #[must_use]
    pub fn external_references(&self) -> &[String] {
        &self.external
    }

    /// The document as JSON.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Resolves a schema with its references and unions.
    #[must_use]
    pub fn schema(&self, pointer: &SchemaPointer) -> Schema<'_> {
        match self.value.pointer(&pointer.0) {
            Some(value) => self.resolve(&Node::new(value)),
            None => Schema::default(),
        }
    }

    /// Resolves a part of a schema: an item of a list or a member.
    #[must_use]
    pub fn resolve<'a>(&'a self, node: &Node<'a>) -> Schema<'a> {
        resolve(&self.value, node)
    }

    /// Returns the response body of an operation, from the first successful response with a body, else from the default
    /// response.
    pub(crate) fn response_body(&self, operation: &DocumentOperation) -> Option<Schema<'_>> {
        let mut answers = operation.responses.iter().filter(|answer| answer.is_success());
        let successful = answers.find_map(|answer| answer.schema.as_ref());
        let default = || operation.responses.iter().find(|answer| answer.status == "default")?.schema.as_ref();
        Some(self.schema(successful.or_else(default)?))
    }

    /// Returns the request body of an operation. None if it has no JSON body.
    pub(crate) fn request_body(&self, operation: &DocumentOperation) -> Option<Schema<'_>> {
        Some(self.schema(operation.request.as_ref()?))
    }

    /// Returns a mark (`x-takt-…`) of the value at a pointer.
    #[must_use]
    pub fn mark(&self, pointer: &str, name: &str) -> Option<&Value> {
        self.value.pointer(pointer)?.get(name)
    }
}

/// Refuses documents other than OpenAPI 3.0 and 3.1.
fn check_version(value: &Value) -> Result<(), DocumentError> {
    let Some(members) = value.as_object() else { return Err(DocumentError::NotOpenApi) };
    if members.contains_key("swagger") && !members.contains_key("openapi") {
        return Err(DocumentError::Swagger2);
    }
    // YAML reads an unquoted `3.1` as a number.
    let version = members.get("openapi").map(scalar_text).ok_or(DocumentError::NotOpenApi)?;
    let known = ["3.0", "3.1"].iter().any(|known| version == *known || version.starts_with(&format!("{known}.")));
    if known { Ok(()) } else { Err(DocumentError::OtherVersion { version: version.chars().take(40).collect() }) }
}

fn locate_fault(text: &str, fault: Fault) -> DocumentError {
    let position = position::find_position(text, &fault.pointer);
    DocumentError::Structure {
        line: position.line,
        column: position.column,
        pointer: fault.pointer,
        fault: fault.fault,
    }
}

fn read_servers(document: &Value) -> Vec<String> {
    let servers = document.get("servers").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    servers.iter().take(20).filter_map(server_address).collect()
}

fn server_address(server: &Value) -> Option<String> {
    let mut address = server.get("url")?.as_str()?.to_owned();
    let variables = server.get("variables").and_then(Value::as_object);
    for (name, variable) in variables.into_iter().flatten().take(20) {
        let default = variable.get("default").map(scalar_text).unwrap_or_default();
        if default.len() <= 500 && address.len() <= 5_000 {
            address = address.replace(&format!("{{{name}}}"), &default);
        }
    }
    Some(address)
}

/// The rule by which an operation's path is appended to the site's address.
#[derive(Debug, Clone, Default)]
enum SitePathRule {
    /// After the server's path.
    #[default]
    WithServerPath,
    /// After the server's path, without this prefix, which the site's address already has.
    WithoutPrefix(String),
    /// Without the server's path, because the site's address goes through a gateway and already ends with that path.
    WithoutServerPath,
}

impl Document {
    /// Sets the address at which the site is reached, directly or through a gateway. Paths then omit the part that the
    /// address already has.
    #[must_use]
    pub fn with_site_address(mut self, base_url: &str) -> Self {
        let base = extract_path(base_url);
        let origin = extract_origin(base_url);
        // A document often lists the servers of all installations.
        if let Some(index) = self.servers.iter().position(|server| origin.is_some() && extract_origin(server) == origin)
        {
            self.servers.swap(0, index);
        }
        self.site_path_rule = self.choose_site_path_rule(base);
        self
    }

    /// The path of the first server's address, without a slash at its end.
    #[must_use]
    pub fn base_path(&self) -> &str {
        self.servers.first().map_or("", |server| extract_path(server))
    }

    /// Returns an operation's path relative to the site's address.
    #[must_use]
    pub fn path_at_site(&self, path: &str) -> String {
        let full_path = format!("{}{path}", self.base_path());
        match &self.site_path_rule {
            SitePathRule::WithServerPath => full_path,
            SitePathRule::WithoutPrefix(site) => strip_base(site, &full_path).map(str::to_owned).unwrap_or(full_path),
            SitePathRule::WithoutServerPath => path.to_owned(),
        }
    }

    fn choose_site_path_rule(&self, site: &str) -> SitePathRule {
        let server = self.base_path();
        let is_below = |path: &str| strip_base(site, &format!("{server}{path}")).is_some();
        if site.is_empty() {
            SitePathRule::WithServerPath
        } else if self.operations.iter().all(|operation| is_below(&operation.path)) {
            SitePathRule::WithoutPrefix(site.to_owned())
        } else if !server.is_empty() && site.ends_with(server) {
            SitePathRule::WithoutServerPath
        } else {
            SitePathRule::WithServerPath
        }
    }
}

/// Returns the rest of a path below a base path. None if the path isn't below it.
fn strip_base<'a>(base: &str, path: &'a str) -> Option<&'a str> {
    path.strip_prefix(base).filter(|rest| rest.starts_with('/'))
}

/// Returns scheme and host of an absolute address.
fn extract_origin(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    Some(format!("{scheme}://{host}").to_lowercase())
}

fn extract_path(address: &str) -> &str {
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

    fn path_at_site_of(servers: &str, base_url: &str) -> String {
        let text =
            format!("openapi: 3.0.1\nservers:\n{servers}paths:\n  /v1/items:\n    get:\n      responses: {{}}\n");
        Document::read(text.as_bytes()).unwrap().with_site_address(base_url).path_at_site("/v1/items")
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
            assert_eq!(path_at_site_of(&format!("  - url: {server}\n"), base_url), expected, "{server} at {base_url}");
        }
        let two = "  - url: https://test.example/t\n  - url: https://mes.example/p\n";
        assert_eq!(path_at_site_of(two, "https://MES.example"), "/p/v1/items");
    }
}
