//! Tests of edits as overlays.

use super::*;

#[test]
fn a_read_by_another_method_has_its_filters_and_pages_in_the_body() {
    let contract = Contract::builtin().unwrap();
    let edit = |method: &str, asks_in_body| OperationEdit {
        operation: "work-orders.list".to_owned(),
        method: Some(method.to_owned()),
        asks_in_body,
        ..OperationEdit::default()
    };
    let places = |contract: &Contract| {
        let list = contract.operation("work-orders.list").unwrap();
        let places = list.parameters.iter().map(|one| one.place == ParameterPlace::Body);
        (list.method.clone(), list.paging.in_body, places.collect::<Vec<_>>())
    };
    let zone = jiff::tz::TimeZone::UTC;
    let posted = contract.with_overlay(&edits_to_overlay(&contract, &[edit("post", None)]).unwrap(), &zone);
    let count = posted.operation("work-orders.list").unwrap().parameters.len();
    assert_eq!(places(&posted), ("POST".to_owned(), true, vec![true; count]));
    let back = posted.with_overlay(&edits_to_overlay(&posted, &[edit("GET", None)]).unwrap(), &zone);
    assert_eq!(places(&back), ("GET".to_owned(), false, vec![false; count]));
    let in_query = contract.with_overlay(&edits_to_overlay(&contract, &[edit("POST", Some(false))]).unwrap(), &zone);
    assert_eq!(places(&in_query), ("POST".to_owned(), false, vec![false; count]));
}

#[test]
fn fields_and_filters_are_added_and_taken_away() {
    let contract = Contract::builtin().unwrap();
    let field = |place, path: &str| FieldEdit { added: true, ..FieldEdit::new(place, path) };
    let added = FieldEdit {
        wire: Some("Colour_1".to_owned()),
        value_type: Some(ValueType::Integer),
        required: Some(true),
        ..field(FieldPlace::Request, "colour")
    };
    let edits = |id: &str, fields: Vec<FieldEdit>| {
        [OperationEdit { operation: id.to_owned(), fields, ..OperationEdit::default() }]
    };
    let zone = jiff::tz::TimeZone::UTC;
    let part = field(FieldPlace::Request, "rawMaterials.shelf");
    let edited = edits_to_overlay(&contract, &edits("work-orders.sync", vec![added.clone(), part])).unwrap();
    let after = contract.with_overlay(&edited, &zone);
    let sync = after.operation("work-orders.sync").unwrap().request.clone().unwrap();
    let of = |path: &str| {
        sync.fields_with_paths().into_iter().find(|(at, _)| at == path).map(|(_, field)| field.clone()).unwrap()
    };
    let colour = of("colour");
    assert_eq!((colour.wire_name(), colour.kind, colour.required), ("Colour_1", FieldKind::Integer, true));
    assert_eq!(of("rawMaterials.shelf").kind, FieldKind::Text);
    assert_eq!(
        sync.fields.len(),
        contract.operation("work-orders.sync").unwrap().request.as_ref().unwrap().fields.len() + 1
    );
    let gone = FieldEdit { gone: true, ..FieldEdit::new(FieldPlace::Request, "colour") };
    let without = after.with_overlay(&edits_to_overlay(&after, &edits("work-orders.sync", vec![gone])).unwrap(), &zone);
    let sync = without.operation("work-orders.sync").unwrap().request.as_ref().unwrap();
    assert!(sync.fields.iter().all(|field| field.name != "colour"));

    let filter = field(FieldPlace::Parameter, "line");
    let edited =
        contract.with_overlay(&edits_to_overlay(&contract, &edits("work-orders.list", vec![filter])).unwrap(), &zone);
    let line = edited.operation("work-orders.list").unwrap().parameters.last().unwrap();
    assert_eq!((line.name.as_str(), line.place), ("line", ParameterPlace::Query));
    for wrong in ["", "code", "a.b.c"] {
        assert!(
            edits_to_overlay(&contract, &edits("work-orders.sync", vec![field(FieldPlace::Request, wrong)])).is_err(),
            "{wrong}"
        );
    }
}
