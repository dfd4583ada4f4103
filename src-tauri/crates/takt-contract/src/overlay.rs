//! Describes a site's differences from the built-in contract, from its OpenAPI document, its responses or the user.
//!
//! Overlays can be merged ([`Overlay::merged`]) and applied
//! ([`Contract::with_overlay`](crate::Contract::with_overlay)). All parts are optional: what an overlay doesn't name
//! stays. Overlays are proposed in takt-openapi and stored in takt-sites.

mod apply;
mod differences;
mod merge;
mod tried;

pub(crate) use apply::{apply, apply_to_events};
pub use differences::{
    AddedOperation, AssumptionOverlay, EventOverlay, FieldOverlay, OperationOverlay, Overlay, PagingOverlay,
    ParameterOverlay, ShapeOverlay,
};
