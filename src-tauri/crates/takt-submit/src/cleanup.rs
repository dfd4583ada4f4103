//! Cleans up template-process links: reads templates by ID, shows their processes, and deletes links.
//!
//! [`Templates`] reads sets of templates, stores the list of links to delete, finds orders that use templates, and
//! lists earlier deletes. No operation lists templates, so the user enters their IDs, which are remembered per site. A
//! delete is a submission like any other, with one result per link. The contract defines the meaning of fields
//! (`cleanup_contract`).

mod cleanup_contract;
mod deleted_workbooks;
mod ids;
mod links;
mod matrix;
mod stored_data;
mod template_reader;
mod template_set;
mod template_use;
mod templates;
mod view;

pub use deleted_workbooks::DeletedTable;
pub use ids::{format_template_ids, parse_template_ids};
pub use links::links_to_items;
pub use template_set::TemplateSet;
pub use templates::Templates;
pub use view::{
    Affected, AffectedOrder, FacetAbout, FacetKind, IdList, Ids, Links, LinksToDelete, OrderStage, ProcessSum,
    TemplateFacet, TemplateSum, TemplateUseView, TemplatesProgress, TemplatesView, UnreadIds,
};
