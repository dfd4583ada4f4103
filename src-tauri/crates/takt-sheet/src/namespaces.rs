//! Namespaces of XML parts. A local name alone doesn't identify an element: Excel writes `x15:workbookPr` after
//! `workbookPr`.
//!
//! [`NamespaceScopes`] resolves prefixes of elements and attributes. [`ElementFilter`] selects the elements to read
//! according to the [`ElementRoles`] of a format. [`PartElementFilter`] selects those of an Office part's own
//! vocabulary.

use std::borrow::Cow;

use quick_xml::{
    events::{BytesStart, Event},
    name::{LocalName, Namespace, NamespaceResolver, QName, ResolveResult},
};

use crate::SheetError;

/// LibreOffice binds about 40 prefixes.
const MAX_BINDINGS: usize = 1_024;
const COMPATIBILITY: &str = "http://schemas.openxmlformats.org/markup-compatibility/2006";

/// The namespace bindings of the open elements.
#[derive(Debug)]
pub(crate) struct NamespaceScopes {
    resolver: NamespaceResolver,
    depth: u16,
}

impl Default for NamespaceScopes {
    fn default() -> Self {
        let mut resolver = NamespaceResolver::default();
        resolver.set_max_namespace_bindings(MAX_BINDINGS);
        Self { resolver, depth: 0 }
    }
}

impl NamespaceScopes {
    /// Opens an element with the bindings that it declares.
    ///
    /// # Errors
    /// [`SheetError::Damaged`] if a declaration is wrong or elements are nested too deeply.
    pub(crate) fn enter(&mut self, start: &BytesStart<'_>) -> Result<(), SheetError> {
        let depth = self.depth;
        self.depth = depth.checked_add(1).ok_or_else(|| SheetError::damaged("elements are nested too deeply"))?;
        // Most elements declare nothing.
        if start.attributes_raw().contains("xmlns") {
            self.resolver.set_level(depth);
            self.resolver.push(start).map_err(SheetError::damaged)?;
        }
        Ok(())
    }

    /// Closes the innermost element.
    pub(crate) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.resolver.level() > self.depth {
            self.resolver.set_level(self.depth);
        }
    }

    /// Returns the namespace of an element, or its prefix if that isn't declared.
    pub(crate) fn namespace(&self, name: QName<'_>) -> Cow<'_, str> {
        namespace_text(self.resolver.resolve_element(name).0)
    }

    /// Returns the namespace of an attribute, or its prefix if that isn't declared. An attribute without a prefix has
    /// no namespace.
    pub(crate) fn attribute_namespace(&self, name: QName<'_>) -> Cow<'_, str> {
        namespace_text(self.resolver.resolve_attribute(name).0)
    }
}

fn namespace_text(result: ResolveResult<'_>) -> Cow<'_, str> {
    match result {
        ResolveResult::Bound(Namespace(namespace)) => Cow::Borrowed(namespace),
        ResolveResult::Unbound => Cow::Borrowed(""),
        ResolveResult::Unknown(prefix) => Cow::Owned(prefix),
    }
}

/// Returns whether an attribute belongs to the namespace of relationships. If the prefix isn't declared, the usual
/// prefix `r` is accepted.
pub(crate) fn is_relationship_attribute(scopes: &NamespaceScopes, name: QName<'_>) -> bool {
    let namespace = scopes.attribute_namespace(name);
    namespace == "r"
        || namespace.ends_with("/officeDocument/2006/relationships")
        || namespace.ends_with("/ooxml/officeDocument/relationships")
}

/// The reader's treatment of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ElementRole {
    /// The element and its content are read.
    Included,
    /// The element is ignored, but its content is read.
    Wrapper,
    /// The element and its content are ignored.
    Skipped,
}

/// Assigns roles to a format's elements.
pub(crate) trait ElementRoles: Default {
    fn role(&mut self, scopes: &NamespaceScopes, name: QName<'_>) -> ElementRole;

    /// Called when an element with [`ElementRole::Included`] begins.
    fn enter(&mut self, _name: LocalName<'_>) {}

    /// Called when an element with [`ElementRole::Included`] ends.
    fn leave(&mut self, _name: LocalName<'_>) {}
}

/// Selects the events of the elements to read.
#[derive(Debug, Default)]
pub(crate) struct ElementFilter<R> {
    scopes: NamespaceScopes,
    roles: R,
    /// The number of open elements from the outermost skipped one on.
    skipped: u32,
}

impl<R: ElementRoles> ElementFilter<R> {
    /// Returns whether an event is to be read. Must be called for every event, because it tracks open elements.
    ///
    /// # Errors
    /// See [`NamespaceScopes::enter`].
    pub(crate) fn includes(&mut self, event: &Event<'_>) -> Result<bool, SheetError> {
        match event {
            Event::Start(start) => {
                self.scopes.enter(start)?;
                if self.skipped > 0 {
                    self.skipped += 1;
                    return Ok(false);
                }
                let role = self.roles.role(&self.scopes, start.name());
                self.skipped = u32::from(role == ElementRole::Skipped);
                if role == ElementRole::Included {
                    self.roles.enter(start.local_name());
                }
                Ok(role == ElementRole::Included)
            }
            Event::End(end) => {
                let role =
                    if self.skipped > 0 { ElementRole::Skipped } else { self.roles.role(&self.scopes, end.name()) };
                self.skipped = self.skipped.saturating_sub(1);
                if role == ElementRole::Included {
                    self.roles.leave(end.local_name());
                }
                self.scopes.leave();
                Ok(role == ElementRole::Included)
            }
            Event::Eof => Ok(true),
            _ => Ok(self.skipped == 0),
        }
    }

    pub(crate) fn scopes(&self) -> &NamespaceScopes {
        &self.scopes
    }

    #[cfg(test)]
    pub(crate) fn roles(&self) -> &R {
        &self.roles
    }
}

/// Selects the elements of an Office part that belong to the namespace of its root.
///
/// Elements of other namespaces are skipped with all their content. Of alternatives, only the fallback is read, because
/// no extension is supported (ISO/IEC 29500-3).
pub(crate) type PartElementFilter = ElementFilter<PartRoles>;

#[derive(Debug, Default)]
pub(crate) struct PartRoles {
    /// The root's namespace.
    root_namespace: Option<String>,
}

impl ElementRoles for PartRoles {
    fn role(&mut self, scopes: &NamespaceScopes, name: QName<'_>) -> ElementRole {
        let namespace = scopes.namespace(name);
        let own = self.root_namespace.get_or_insert_with(|| namespace.clone().into_owned());
        let local = name.local_name();
        if *own == namespace {
            // Extension lists may contain elements of any vocabulary.
            return if local.as_ref() == "extLst" { ElementRole::Skipped } else { ElementRole::Included };
        }
        let is_compatibility = matches!(&*namespace, COMPATIBILITY | "mc");
        if is_compatibility && matches!(local.as_ref(), "AlternateContent" | "Fallback") {
            ElementRole::Wrapper
        } else {
            ElementRole::Skipped
        }
    }
}

#[cfg(test)]
mod tests {
    use quick_xml::Reader;

    use super::*;

    /// Returns the local names of the part's own tags (`/name` for end tags) and its texts, in the part's order.
    fn included_events(xml: &str) -> Vec<String> {
        let mut reader = Reader::from_str(xml);
        reader.config_mut().expand_empty_elements = true;
        let (mut elements, mut found) = (PartElementFilter::default(), Vec::new());
        loop {
            let event = reader.read_event().unwrap();
            let is_included = elements.includes(&event).unwrap();
            match event {
                Event::Eof => return found,
                Event::Start(start) if is_included => found.push(start.local_name().as_ref().to_owned()),
                Event::End(end) if is_included => found.push(format!("/{}", end.local_name().as_ref())),
                Event::Text(text) if is_included => found.push(text.xml10_content().into_owned()),
                _ => {}
            }
        }
    }

    #[test]
    fn elements_of_other_namespaces_are_skipped() {
        for xml in [
            r#"<a xmlns="m"><x:b xmlns:x="o"><b>1</b></x:b><b>2</b></a>"#,
            r#"<a xmlns="m"><b xmlns="o">1<b/></b><b>2</b></a>"#,
            r#"<m:a xmlns:m="m"><b>1</b><n:b xmlns:n="m">2</n:b></m:a>"#,
            r#"<a xmlns="m"><extLst><ext><b>1</b></ext></extLst><b>2</b></a>"#,
            "<a><x:b>1</x:b><b>2</b></a>",
            r#"<a xmlns="m"><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">
                <mc:Choice Requires="x"><b>1</b></mc:Choice><mc:Fallback><b>2</b></mc:Fallback></mc:AlternateContent></a>"#,
        ] {
            let found: Vec<_> = included_events(xml).into_iter().filter(|found| !found.trim().is_empty()).collect();
            assert_eq!(found, ["a", "b", "2", "/b", "/a"], "{xml}");
        }
    }

    #[test]
    fn bindings_end_with_their_element() {
        let xml = r#"<a xmlns:x="m" xmlns="m"><c xmlns:x="o" xmlns="o"/><x:b/><b><x:c/></b></a>"#;
        assert_eq!(included_events(xml), ["a", "b", "/b", "b", "c", "/c", "/b", "/a"]);
    }
}
