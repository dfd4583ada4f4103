//! Cleans up template-process links: reads templates by ID, shows their processes, and deletes links.
//!
//! [`Templates`] reads sets of templates, stores the list of links to delete, finds orders that use templates, and
//! lists earlier deletes. No operation lists templates, so the user enters their IDs, which are remembered per site. A
//! delete is a submission like any other, with one result per link. The contract defines the meaning of fields
//! (`facts`).

mod deleted;
mod facets;
mod facts;
mod ids;
mod import_links;
mod links;
mod list;
mod matrix;
mod reading;
mod settings;
mod template_set;
mod templates;
mod users;
mod view;

pub use deleted::DeletedTable;
pub use ids::{parse_template_ids, write_template_ids};
pub use links::links_to_items;
pub use template_set::TemplateSet;
pub use templates::Templates;
pub use view::*;
