//! All commands and events of the web UI. This list generates `ui/src/ipc/bindings.ts` and `isolation/commands.js`, the
//! list of commands that the isolation frame allows.

use tauri::{Runtime, Wry};
use tauri_specta::{Builder, ErrorHandlingMode, collect_commands, collect_events};

use crate::{commands, events};

/// Builds the list of commands and events. The page can call only listed commands.
///
/// The product's runtime is used to read the commands' types, which are the same for each runtime.
pub(crate) fn builder<R: Runtime>() -> Builder<R> {
    use commands::{
        app, background, clipboard, contract, deleted, event, floor, forward, graphql, help, history, import,
        import_source, open_request, order, picture, plant, preference, preview, reading, receiver, rehearsal, rule,
        sample, saved_file, sign_in, site, storage, submission, table, team, template, update, vault, window,
    };
    let builder = Builder::new();
    #[cfg(test)]
    let builder = builder.typ::<crate::main_window::WindowStart>();
    builder
        .error_handling(ErrorHandlingMode::Throw)
        // Rows of the service are sent as JSON, and JavaScript parses all JSON numbers as doubles.
        .dangerously_cast_bigints_to_number()
        // Absent values are null in both directions, so each name has one type.
        .disable_serde_phases()
        .commands(collect_commands![
            app::app_state::<Wry>,
            app::operations::<Wry>,
            app::contract_document::<Wry>,
            app::practice_plant::<Wry>,
            clipboard::clipboard_write::<Wry>,
            window::close_guard::<Wry>,
            window::close_acknowledge::<Wry>,
            window::close_window::<Wry>,
            site::site_file_save::<Wry>,
            site::site_file_pick::<Wry>,
            site::site_file_import::<Wry>,
            site::site_save::<Wry>,
            site::site_remove::<Wry>,
            site::site_choose::<Wry>,
            site::site_check::<Wry>,
            site::transcript_save::<Wry>,
            rehearsal::rehearsal_start::<Wry>,
            rehearsal::rehearsal_comparison::<Wry>,
            vault::vault_unlock::<Wry>,
            vault::vault_create::<Wry>,
            vault::vault_remove::<Wry>,
            team::team_view::<Wry>,
            team::team_join::<Wry>,
            team::team_check::<Wry>,
            team::team_leave::<Wry>,
            team::team_changes::<Wry>,
            team::team_restore::<Wry>,
            contract::contract_pick::<Wry>,
            contract::contract_fetch::<Wry>,
            contract::contract_compare::<Wry>,
            contract::contract_match::<Wry>,
            contract::contract_take::<Wry>,
            contract::contract_versions::<Wry>,
            contract::contract_restore::<Wry>,
            contract::contract_differences::<Wry>,
            contract::contract_operations::<Wry>,
            contract::contract_assumptions::<Wry>,
            contract::contract_replace_assumptions::<Wry>,
            contract::contract_learn::<Wry>,
            contract::contract_edit::<Wry>,
            contract::contract_ask::<Wry>,
            contract::contract_drift::<Wry>,
            sign_in::sign_in_start::<Wry>,
            sign_in::sign_in_cancel::<Wry>,
            sign_in::sign_in_paste::<Wry>,
            sign_in::sign_out::<Wry>,
            sign_in::practice_sign_in::<Wry>,
            open_request::open_requests_take::<Wry>,
            open_request::order_link::<Wry>,
            open_request::submission_link::<Wry>,
            import_source::import_pick::<Wry>,
            import_source::import_open::<Wry>,
            import_source::import_paste::<Wry>,
            import_source::recent_files::<Wry>,
            import_source::recent_open::<Wry>,
            import_source::recent_forget::<Wry>,
            import::import_position::<Wry>,
            import::import_start_over::<Wry>,
            import::import_take_columns::<Wry>,
            import::import_view::<Wry>,
            import::import_sheet::<Wry>,
            import::import_plan::<Wry>,
            import::import_leave_sheet::<Wry>,
            import::import_order::<Wry>,
            import::import_part::<Wry>,
            import::import_header::<Wry>,
            import::import_header_rows::<Wry>,
            import::import_text::<Wry>,
            import::import_preview_text::<Wry>,
            import::import_skip_rows::<Wry>,
            import::import_operation::<Wry>,
            import::import_match::<Wry>,
            import::import_change::<Wry>,
            import::import_values::<Wry>,
            import::import_save_mapping::<Wry>,
            import::import_use_mapping::<Wry>,
            import::import_rows::<Wry>,
            import::import_find_cells::<Wry>,
            import::import_find_problem::<Wry>,
            import::import_sheet_rows::<Wry>,
            import::import_data_edge::<Wry>,
            import::import_fix::<Wry>,
            import::import_undo::<Wry>,
            import::import_redo::<Wry>,
            import::import_cell_help::<Wry>,
            import::import_finding_values::<Wry>,
            import::import_save_findings::<Wry>,
            import::blank_save::<Wry>,
            import::import_close::<Wry>,
            rule::rule_words::<Wry>,
            rule::rules_get::<Wry>,
            rule::rules_failing::<Wry>,
            rule::rules_check::<Wry>,
            rule::rules_try::<Wry>,
            rule::rules_save::<Wry>,
            rule::rules_export::<Wry>,
            rule::rules_import::<Wry>,
            import_source::rows_become::<Wry>,
            import_source::import_from_rows::<Wry>,
            import::import_check_site::<Wry>,
            import::import_choose_site::<Wry>,
            preview::preview_build::<Wry>,
            preview::preview_rows::<Wry>,
            sample::samples,
            sample::import_sample::<Wry>,
            submission::submission_start::<Wry>,
            submission::submission_pause::<Wry>,
            submission::submission_stop::<Wry>,
            submission::submission_resume::<Wry>,
            submission::submission_send_unconfirmed::<Wry>,
            submission::approvals_waiting::<Wry>,
            submission::approval_rows::<Wry>,
            submission::approval_decide::<Wry>,
            submission::submission_read_back::<Wry>,
            submission::submission_decide::<Wry>,
            submission::submission_unconfirmed_totals::<Wry>,
            submission::submission_rejected::<Wry>,
            submission::submission_skipped::<Wry>,
            submission::submission_row_changes::<Wry>,
            submission::import_fix_rejected::<Wry>,
            submission::import_fix_skipped::<Wry>,
            submission::import_use_submission::<Wry>,
            submission::submission_undoable::<Wry>,
            submission::submission_undo_plan::<Wry>,
            submission::submission_undo::<Wry>,
            submission::submission_get::<Wry>,
            submission::submission_list::<Wry>,
            submission::submission_rows::<Wry>,
            submission::submission_export::<Wry>,
            history::history_list::<Wry>,
            history::history_context::<Wry>,
            history::submission_search::<Wry>,
            history::submission_requests::<Wry>,
            history::submission_request_body::<Wry>,
            history::submission_save_results::<Wry>,
            history::handover_save::<Wry>,
            history::bundle_save::<Wry>,
            storage::storage_view::<Wry>,
            storage::retention_save::<Wry>,
            storage::purge::<Wry>,
            storage::salvages_acknowledge::<Wry>,
            storage::log_tail::<Wry>,
            submission::plan_get::<Wry>,
            submission::submission_skip_waiting::<Wry>,
            template::template_remembered::<Wry>,
            template::template_forget::<Wry>,
            template::template_lists::<Wry>,
            template::template_list_save::<Wry>,
            template::template_read::<Wry>,
            template::template_continue::<Wry>,
            template::template_stop::<Wry>,
            template::template_view::<Wry>,
            template::template_use::<Wry>,
            template::template_use_read::<Wry>,
            template::cleanup_links::<Wry>,
            template::cleanup_set_links::<Wry>,
            template::cleanup_save::<Wry>,
            template::cleanup_operation_codes::<Wry>,
            template::template_save::<Wry>,
            template::links_affected::<Wry>,
            template::links_of_import::<Wry>,
            template::links_delete::<Wry>,
            app::ticket_stop::<Wry>,
            saved_file::saved_file_open::<Wry>,
            saved_file::saved_file_show::<Wry>,
            help::help_pages::<Wry>,
            help::help_page::<Wry>,
            help::help_search::<Wry>,
            order::order_lists::<Wry>,
            order::order_list::<Wry>,
            order::order_exists::<Wry>,
            order::orders_recent::<Wry>,
            order::order_submissions::<Wry>,
            reading::browse_page::<Wry>,
            reading::browse_all::<Wry>,
            reading::browse_continue::<Wry>,
            reading::browse_stop::<Wry>,
            reading::read_filters::<Wry>,
            reading::read_filters_save::<Wry>,
            reading::read_spans::<Wry>,
            table::browse_rows::<Wry>,
            table::browse_row::<Wry>,
            table::browse_text::<Wry>,
            table::browse_values::<Wry>,
            table::browse_positions::<Wry>,
            table::browse_pick::<Wry>,
            table::browse_views::<Wry>,
            table::browse_views_save::<Wry>,
            table::browse_last_list::<Wry>,
            table::browse_last_list_save::<Wry>,
            table::browse_export::<Wry>,
            picture::browse_picture::<Wry>,
            picture::picture_calendar::<Wry>,
            picture::moved_bars::<Wry>,
            picture::store_moved_bars::<Wry>,
            picture::picture_save::<Wry>,
            picture::window_print::<Wry>,
            deleted::deleted_list::<Wry>,
            deleted::deleted_table::<Wry>,
            deleted::deleted_open::<Wry>,
            deleted::deleted_save::<Wry>,
            deleted::deleted_workbook::<Wry>,
            graphql::graphql_run::<Wry>,
            graphql::graphql_schema::<Wry>,
            graphql::graphql_rows::<Wry>,
            graphql::graphql_export::<Wry>,
            graphql::graphql_state::<Wry>,
            graphql::graphql_editor_save::<Wry>,
            graphql::graphql_save::<Wry>,
            graphql::graphql_unsave::<Wry>,
            graphql::graphql_forget_history::<Wry>,
            event::event_kinds::<Wry>,
            event::event_list::<Wry>,
            event::event_get::<Wry>,
            event::event_gaps::<Wry>,
            event::event_last_query::<Wry>,
            event::event_last_query_save::<Wry>,
            background::set_native_texts::<Wry>,
            background::tray_view::<Wry>,
            background::tray_enable::<Wry>,
            background::autostart_enabled::<Wry>,
            background::autostart_enable::<Wry>,
            background::notices::<Wry>,
            background::notify_end::<Wry>,
            background::notices_save::<Wry>,
            event::event_export::<Wry>,
            event::replay_plan::<Wry>,
            event::replay_send::<Wry>,
            forward::forward_targets::<Wry>,
            forward::forward_add::<Wry>,
            forward::forward_change::<Wry>,
            forward::forward_remove::<Wry>,
            forward::forward_pause::<Wry>,
            forward::forward_resume::<Wry>,
            forward::forward_try::<Wry>,
            forward::forward_aside::<Wry>,
            forward::forward_again::<Wry>,
            forward::forward_test::<Wry>,
            forward::forward_event::<Wry>,
            receiver::receiver_view::<Wry>,
            receiver::receiver_start::<Wry>,
            receiver::receiver_stop::<Wry>,
            receiver::receiver_change::<Wry>,
            receiver::receiver_secret_add::<Wry>,
            receiver::receiver_secret_remove::<Wry>,
            floor::floor_now::<Wry>,
            floor::floor_read::<Wry>,
            floor::order_events::<Wry>,
            floor::submission_events::<Wry>,
            floor::submission_not_begun::<Wry>,
            plant::plant_overview::<Wry>,
            plant::plant_act::<Wry>,
            plant::plant_clock::<Wry>,
            plant::plant_fire::<Wry>,
            plant::plant_faults::<Wry>,
            plant::plant_target_add::<Wry>,
            plant::plant_target_remove::<Wry>,
            plant::plant_reset::<Wry>,
            plant::plant_snapshot::<Wry>,
            plant::plant_restore::<Wry>,
            preference::preferences::<Wry>,
            preference::preferences_save::<Wry>,
            preference::language_set::<Wry>,
            window::window_view::<Wry>,
            window::window_view_change::<Wry>,
            window::view_window_open::<Wry>,
            window::view_window_close::<Wry>,
            window::main_window_open::<Wry>,
            update::update_view::<Wry>,
            update::update_save::<Wry>,
            update::update_check::<Wry>,
            update::update_dismiss::<Wry>,
            update::update_download::<Wry>,
            update::update_installable::<Wry>,
            update::update_install::<Wry>,
        ])
        .events(collect_events![
            events::SubmissionChanged,
            events::TeamSubmissionChanged,
            events::SignInChanged,
            events::BrowseProgressed,
            events::TemplatesProgressed,
            events::CloseRequested,
            events::OpenRequested,
            events::SiteChanged,
            events::EventsReceived,
            events::ReceiverChanged,
            events::NoticeOpened,
            events::PreferencesChanged,
            events::MainPlaceOpened,
            events::UpdateChecked,
        ])
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        path::{Path, PathBuf},
    };

    use specta_typescript::Typescript;

    fn in_crate(path: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
    }

    fn bindings() -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bindings.ts");
        let header = "// Generated from the desktop crate's commands by its tests. Don't edit.\n";
        super::builder::<tauri::Wry>().export(Typescript::default().header(header), &path).unwrap();
        fs::read_to_string(path).unwrap()
    }

    /// Asserts that the committed file equals the generated content. If `TAKT_WRITE_BINDINGS` is set, writes the file
    /// instead.
    fn assert_fresh(path: &str, content: &str) {
        if std::env::var_os("TAKT_WRITE_BINDINGS").is_some() {
            fs::write(in_crate(path), content).unwrap();
            return;
        }
        let committed = fs::read_to_string(in_crate(path)).unwrap().replace("\r\n", "\n");
        assert!(committed == content, "{path} is stale: run `TAKT_WRITE_BINDINGS=1 cargo test -p takt-desktop`");
    }

    #[test]
    fn bindings_are_fresh() {
        assert_fresh("../ui/src/ipc/bindings.ts", &bindings());
    }

    #[test]
    fn the_isolation_frame_knows_every_command() {
        let bindings = bindings();
        let calls = bindings.split("__TAURI_INVOKE<").skip(1);
        let names: Vec<_> = calls.filter_map(|call| call.split_once(">(\"")?.1.split_once('"')).collect();
        assert!(names.len() >= 100, "{} commands", names.len());
        let lines: String = names.iter().map(|(name, _)| format!("  '{name}',\n")).collect();
        let header = "// Generated from the desktop crate's commands by its tests. Don't edit.\n";
        assert_fresh("isolation/commands.js", &format!("{header}window.TAKT_COMMANDS = [\n{lines}];\n"));
    }
}
