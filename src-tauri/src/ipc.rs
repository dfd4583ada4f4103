//! All commands and events of the web UI. `ui/src/ipc/bindings.ts` is generated from this list, and so is
//! `isolation/commands.js`, the commands that the isolation frame allows.

use tauri::Runtime;
use tauri_specta::{Builder, ErrorHandlingMode, collect_events};

// The attribute of each command expects these names.
pub(crate) use crate::command_shell::{CommandArg, CommandItem, Invoke, private};
use crate::{command_shell::collect_commands, commands, events};

/// Builds the list of commands and events. The page can call only listed commands.
pub(crate) fn builder<R: Runtime>() -> Builder<R> {
    use commands::{
        app, approval, background, clipboard, closing, contract, decision, deleted, draft, event, floor, forward,
        graphql, help, history, import, open_request, opening, order, picture, plant, preference, preview, reading,
        receiver, rehearsal, replay, rows, rule, sample, saved_file, sense, sign_in, site, site_file, storage,
        submission, table, team, template, ticket, update, vault, view_window,
    };
    let builder = Builder::new();
    #[cfg(test)]
    let builder = builder.typ::<crate::window_start::WindowStart>();
    builder
        .error_handling(ErrorHandlingMode::Throw)
        // Rows of the service are sent as JSON, whose numbers are JavaScript's anyway.
        .dangerously_cast_bigints_to_number()
        // Absent values are null in both directions, so each name has one type.
        .disable_serde_phases()
        .commands(collect_commands![
            app::app_state,
            app::operations,
            app::contract_document,
            app::practice_plant,
            clipboard::clipboard_write,
            closing::close_guard,
            closing::close_acknowledge,
            closing::close_window,
            site_file::site_file_save,
            site_file::site_file_pick,
            site_file::site_file_import,
            site::site_save,
            site::site_remove,
            site::site_choose,
            site::site_check,
            site::transcript_save,
            rehearsal::rehearsal_start,
            rehearsal::rehearsal_comparison,
            vault::vault_unlock,
            vault::vault_create,
            vault::vault_remove,
            team::team_view,
            team::team_join,
            team::team_check,
            team::team_leave,
            team::team_changes,
            team::team_restore,
            contract::contract_pick,
            contract::contract_fetch,
            contract::contract_compare,
            contract::contract_match,
            contract::contract_take,
            contract::contract_versions,
            contract::contract_restore,
            contract::contract_differences,
            contract::contract_operations,
            contract::contract_assumptions,
            contract::contract_replace_assumptions,
            contract::contract_learn,
            contract::contract_edit,
            contract::contract_ask,
            contract::contract_drift,
            sign_in::sign_in_start,
            sign_in::sign_in_cancel,
            sign_in::sign_in_paste,
            sign_in::sign_out,
            sign_in::practice_sign_in,
            open_request::open_requests_take,
            open_request::order_link,
            open_request::submission_link,
            opening::import_pick,
            opening::import_open,
            draft::recent_files,
            draft::recent_open,
            draft::recent_forget,
            draft::import_position,
            draft::import_start_over,
            draft::import_take_columns,
            import::import_view,
            import::import_sheet,
            import::import_plan,
            import::import_leave_sheet,
            import::import_order,
            import::import_part,
            import::import_header,
            import::import_header_rows,
            import::import_text,
            import::import_preview_text,
            import::import_skip_rows,
            import::import_operation,
            import::import_match,
            import::import_change,
            import::import_values,
            import::import_save_mapping,
            import::import_use_mapping,
            import::import_rows,
            import::import_find_cells,
            import::import_data_edge,
            import::import_fix,
            import::import_undo,
            import::import_redo,
            import::import_cell_help,
            import::import_finding_values,
            import::import_save_findings,
            import::blank_save,
            import::import_close,
            rule::rule_words,
            rule::rules_get,
            rule::rules_failing,
            rule::rules_check,
            rule::rules_try,
            rule::rules_save,
            rule::rules_export,
            rule::rules_import without app,
            rows::rows_become,
            rows::import_from_rows,
            sense::import_check_site,
            sense::import_choose_site,
            preview::preview_build,
            preview::preview_rows,
            sample::samples without app,
            sample::import_sample,
            submission::submission_start,
            submission::submission_pause,
            submission::submission_stop,
            submission::submission_resume,
            submission::submission_send_unconfirmed,
            approval::approvals_waiting,
            approval::approval_rows,
            approval::approval_decide,
            decision::submission_read_back,
            decision::submission_decide,
            decision::submission_skip_claimed,
            decision::submission_unconfirmed_totals,
            decision::submission_rejected,
            decision::import_fix_rejected,
            decision::import_use_submission,
            decision::submission_retry,
            decision::submission_undoable,
            decision::submission_undo_plan,
            decision::submission_undo,
            submission::submission_get,
            submission::submission_list,
            submission::submission_rows,
            submission::submission_export,
            history::history_list,
            history::history_context,
            history::submission_search,
            history::submission_requests,
            history::submission_request_body,
            history::submission_save_results,
            history::handover_save,
            history::bundle_save,
            storage::storage_view,
            storage::retention_save,
            storage::purge,
            storage::salvages_acknowledge,
            storage::log_tail,
            submission::plan_get,
            submission::submission_skip_waiting,
            template::template_remembered,
            template::template_forget,
            template::template_lists,
            template::template_list_save,
            template::template_read,
            template::template_continue,
            template::template_stop,
            template::template_view,
            template::template_use,
            template::template_use_read,
            template::cleanup_links,
            template::cleanup_set_links,
            template::cleanup_save,
            template::links_affected,
            template::links_of_import,
            template::links_delete,
            ticket::ticket_stop,
            saved_file::saved_file_open,
            saved_file::saved_file_show,
            help::help_pages,
            help::help_page,
            help::help_search,
            order::order_lists,
            order::order_list,
            order::order_exists,
            order::orders_recent,
            order::order_submissions,
            reading::browse_page,
            reading::browse_all,
            reading::browse_continue,
            reading::browse_stop,
            reading::read_filters,
            reading::read_filters_save,
            reading::read_spans,
            table::browse_rows,
            table::browse_row,
            table::browse_text,
            table::browse_values,
            table::browse_positions,
            table::browse_pick,
            table::browse_views,
            table::browse_views_save,
            table::browse_last_list,
            table::browse_last_list_save,
            table::browse_export,
            picture::browse_picture,
            picture::picture_calendar,
            picture::moved_bars,
            picture::store_moved_bars,
            picture::picture_save,
            picture::window_print,
            deleted::deleted_list,
            deleted::deleted_table,
            deleted::deleted_open,
            deleted::deleted_save,
            deleted::deleted_workbook,
            graphql::graphql_run,
            graphql::graphql_schema,
            graphql::graphql_rows,
            graphql::graphql_export,
            graphql::graphql_state,
            graphql::graphql_editor_save,
            graphql::graphql_save,
            graphql::graphql_unsave,
            graphql::graphql_forget_history,
            event::event_kinds,
            event::event_list,
            event::event_get,
            event::event_gaps,
            event::event_last_query,
            event::event_last_query_save,
            background::set_native_texts,
            background::tray_view,
            background::tray_enable,
            background::autostart_enabled,
            background::autostart_enable,
            background::notices,
            background::notify_end,
            background::notices_save,
            replay::event_export,
            replay::replay_plan,
            replay::replay_send,
            forward::forward_targets,
            forward::forward_add,
            forward::forward_change,
            forward::forward_remove,
            forward::forward_pause,
            forward::forward_resume,
            forward::forward_try,
            forward::forward_aside,
            forward::forward_again,
            forward::forward_test,
            forward::forward_event,
            receiver::receiver_view,
            receiver::receiver_start,
            receiver::receiver_stop,
            receiver::receiver_change,
            receiver::receiver_secret_add,
            receiver::receiver_secret_remove,
            floor::floor_now,
            floor::floor_read,
            floor::order_events,
            floor::submission_events,
            floor::submission_not_begun,
            plant::plant_overview,
            plant::plant_act,
            plant::plant_clock,
            plant::plant_fire,
            plant::plant_faults,
            plant::plant_target_add,
            plant::plant_target_remove,
            plant::plant_reset,
            plant::plant_snapshot,
            plant::plant_restore,
            preference::preferences,
            preference::preferences_save,
            preference::language_set,
            view_window::window_view,
            view_window::window_view_change,
            view_window::view_window_open,
            view_window::view_window_close,
            view_window::main_window_open,
            update::update_view,
            update::update_save,
            update::update_check,
            update::update_dismiss,
            update::update_download,
            update::update_installable,
            update::update_install,
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

    /// Asserts that the committed file equals the generated one. With `TAKT_WRITE_BINDINGS` set, writes the file
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
