// Generated from the desktop crate's commands by its tests. Don't edit.
import { invoke as __TAURI_INVOKE } from "@tauri-apps/api/core";
import * as __TAURI_EVENT from "@tauri-apps/api/event";

/** Commands */
export const commands = {
	appState: () => __TAURI_INVOKE<AppState>("app_state"),
	operations: () => __TAURI_INVOKE<Operation[]>("operations"),
	contractDocument: () => __TAURI_INVOKE<JsonValue>("contract_document"),
	siteSave: (site: Site, secret: string | null) => __TAURI_INVOKE<null>("site_save", { site, secret }),
	siteRemove: (name: string) => __TAURI_INVOKE<null>("site_remove", { name }),
	siteChoose: (name: string) => __TAURI_INVOKE<null>("site_choose", { name }),
	siteTest: (name: string) => __TAURI_INVOKE<SiteTest>("site_test", { name }),
	signInStart: () => __TAURI_INVOKE<SignInView>("sign_in_start"),
	signInCancel: () => __TAURI_INVOKE<null>("sign_in_cancel"),
	signOut: () => __TAURI_INVOKE<null>("sign_out"),
	importPick: (title: string, filter: string) => __TAURI_INVOKE<ImportView | null>("import_pick", { title, filter }),
	importOpen: (path: string) => __TAURI_INVOKE<ImportView>("import_open", { path }),
	importView: (id: number) => __TAURI_INVOKE<ImportView>("import_view", { id }),
	importSheet: (id: number, sheet: string) => __TAURI_INVOKE<ImportView>("import_sheet", { id, sheet }),
	importHeader: (id: number, row: number) => __TAURI_INVOKE<ImportView>("import_header", { id, row }),
	importOperation: (id: number, operation: string) => __TAURI_INVOKE<ImportView>("import_operation", { id, operation }),
	importMatch: (id: number, column: number, field: string | null) => __TAURI_INVOKE<ImportView>("import_match", { id, column, field }),
	importRows: (id: number, filter: RowFilter, offset: number, limit: number) => __TAURI_INVOKE<GridPage>("import_rows", { id, filter, offset, limit }),
	importClose: (id: number) => __TAURI_INVOKE<null>("import_close", { id }),
	samples: () => __TAURI_INVOKE<SampleView[]>("samples"),
	importSample: (operation: string) => __TAURI_INVOKE<ImportView>("import_sample", { operation }),
	submissionStart: (importId: number, skipErrors: boolean, batchSize: number | null) => __TAURI_INVOKE<SubmissionView>("submission_start", { import: importId, skipErrors, batchSize }),
	submissionPause: (id: number) => __TAURI_INVOKE<SubmissionView>("submission_pause", { id }),
	submissionStop: (id: number) => __TAURI_INVOKE<SubmissionView>("submission_stop", { id }),
	submissionResume: (id: number) => __TAURI_INVOKE<SubmissionView>("submission_resume", { id }),
	submissionSendDoubtful: (id: number) => __TAURI_INVOKE<SubmissionView>("submission_send_doubtful", { id }),
	submissionGet: (id: number) => __TAURI_INVOKE<SubmissionView>("submission_get", { id }),
	submissionList: () => __TAURI_INVOKE<SubmissionView[]>("submission_list"),
	submissionRows: (id: number, fate: Fate | null, offset: number, limit: number) => __TAURI_INVOKE<FatePage>("submission_rows", { id, fate, offset, limit }),
	submissionExport: (id: number, title: string, name: string) => __TAURI_INVOKE<string | null>("submission_export", { id, title, name }),
	templateRemembered: () => __TAURI_INVOKE<(number | null)[]>("template_remembered"),
	templateForget: (id: number) => __TAURI_INVOKE<null>("template_forget", { id }),
	templateRead: (ids: string) => __TAURI_INVOKE<TemplateView[]>("template_read", { ids }),
	linksDelete: (links: Link[]) => __TAURI_INVOKE<SubmissionView>("links_delete", { links }),
	browsePage: (query: BrowseQuery, page: number, limit: number) => __TAURI_INVOKE<BrowsePage>("browse_page", { query, page, limit }),
	browseAll: (query: BrowseQuery) => __TAURI_INVOKE<number>("browse_all", { query }),
	browseRows: (id: number, offset: number, limit: number) => __TAURI_INVOKE<BrowsePage>("browse_rows", { id, offset, limit }),
	browseStop: (id: number) => __TAURI_INVOKE<null>("browse_stop", { id }),
	browseExportPage: (operation: string, rows: JsonValue[], format: ExportFormat, title: string) => __TAURI_INVOKE<string | null>("browse_export_page", { operation, rows, format, title }),
	browseExportAll: (id: number, format: ExportFormat, title: string) => __TAURI_INVOKE<string | null>("browse_export_all", { id, format, title }),
	preferences: () => __TAURI_INVOKE<Preferences>("preferences"),
	preferencesSave: (preferences: Preferences) => __TAURI_INVOKE<null>("preferences_save", { preferences }),
};

/** Events */
export const events = {
	submissionChanged: makeEvent<SubmissionChanged>("submission-changed"),
	signInChanged: makeEvent<SignInChanged>("sign-in-changed"),
	browseProgressed: makeEvent<BrowseProgressed>("browse-progressed"),
	siteChanged: makeEvent<SiteChanged>("site-changed"),
};

/* Types */
export type JsonValue = null | boolean | number | string | JsonValue[] | Partial<{ [key in string]: JsonValue }>;
export type AppState = { version: string, sites: SiteView[], vault: VaultPlace, limit: LimitView | null, practiceReady: boolean, language: Language | null, interrupted: SubmissionView[] };
export type BatchView = { number: number, counts: FateCounts, status: number | null, milliseconds: number | null };
export type BrowsePage = { rows: JsonValue[], page: number, pages: number | null, total: number | null, unknown: string[] };
export type BrowseProgress = { rows: number, total: number | null, page: number, pages: number | null };
export type BrowseProgressed = { id: number, progress: BrowseProgress, problem: Problem | null, done: boolean };
export type BrowseQuery = { operation: string, parameters: { [key in string]: string } };
export type Candidate = { field: string, score: number | null, reason: MatchReason };
export type Code = "sign-in-needed" | "sign-in-refused" | "sign-in-cancelled" | "redirect-port-taken" | "access-denied" | "service-unreachable" | "connection-lost" | "rate-limited" | "rejected" | "not-found" | "service-failed" | "answer-not-understood" | "file-unreadable" | "file-not-workbook" | "file-empty" | "file-protected" | "file-too-large" | "file-damaged" | "no-header" | "unknown" | "precondition" | "invalid-input" | "journal-failed" | "journal-newer" | "write-failed" | "bug";
export type ColumnView = { index: number, letter: string, heading: string, samples: string[], matched: Candidate | null, candidates: Candidate[] };
export type Density = "compact" | "comfortable";
export type ExportFormat = "xlsx" | "csv" | "json";
export type Facet = { severity: Severity, code: FindingCode, field: string | null, count: number };
export type Fate = "pending" | "sending" | "accepted" | "rejected" | "inDoubt" | "skipped";
export type FateCounts = { pending: number, sending: number, accepted: number, rejected: number, inDoubt: number, skipped: number };
export type FatePage = { total: number, offset: number, rows: FateRow[] };
export type FateRow = { sheet: string, row: number, key: string, fate: Fate, reasons: string[], batch: number | null };
export type Field = { name: string, kind: FieldKind, required: boolean, nullable: boolean, names: Names, synonyms: string[], limits: Limits, provenance: Provenance, fields: Field[] };
export type FieldKind = "text" | "integer" | "number" | "boolean" | "date-time" | "duration" | "time-span" | "list" | "object";
export type FieldView = { path: string, kind: string, required: boolean, provenance: string, names: { [key in string]: string }, key: boolean };
export type Finding = { sheet: string, row: number, column: string | null, field: string | null, severity: Severity, code: FindingCode, parameters: { [key in string]: string } };
export type FindingCode = "required" | "not-a-number" | "not-an-integer" | "not-a-date" | "ambiguous-date" | "not-a-duration" | "not-a-boolean" | "not-above" | "below-minimum" | "above-maximum" | "too-long" | "not-allowed" | "not-before" | "too-many-digits" | "cell-error" | "formula-without-value" | "duplicate-key" | "group-disagrees" | "shown-text-kept" | "date-order";
export type GridCell = { shown: string, read: string | null, severity: Severity | null };
export type GridPage = { total: number, offset: number, rows: GridRow[] };
export type GridRow = { row: number, severity: Severity | null, cells: GridCell[], findings: Finding[] };
export type HeadRow = { row: number, cells: string[] };
export type ImportCounts = { rows: number, items: number, error_rows: number, warning_rows: number, ready_rows: number, errors: number, warnings: number };
export type ImportView = { id: number, file: string, hash: string, sheets: SheetView[], sheet: string, headerRow: number | null, head: HeadRow[], operation: string | null, proposals: Proposal[], columns: ColumnView[], fields: FieldView[], missing: string[], counts: ImportCounts, facets: Facet[] };
export type Language = "en" | "de" | "es" | "pt";
export type LimitView = { limit: number, remaining: number, reset: string | null };
export type Limits = { minimum: number | null, exclusiveMinimum: number | null, maximum: number | null, maxLength: number | null, values: string[] };
export type Link = { templateId: number, processCode: string, operationCode: string };
export type Look = "system" | "light" | "dark" | "contrast";
export type MatchReason = "remembered" | "same-name" | "synonym" | "similar" | "by-hand";
export type Names = { en: string, de: string, es: string, pt: string };
export type Operation = { id: string, area: string, kind: OperationKind, method: string, path: string, paged: boolean, purpose: string, names: Names, provenance: Provenance, parameters: Parameter[], request: Shape | null, answer: Shape | null, key: string[], batchSize: number };
export type OperationKind = "read" | "sync" | "delete" | "query";
export type Parameter = { name: string, in: ParameterPlace, kind: FieldKind, required: boolean, names: Names, provenance: Provenance };
export type ParameterPlace = "path" | "query";
export type Preferences = { language: Language | null, look: Look, density: Density };
export type Problem = { code: Code, message: string, hint: string, parameters: { [key in string]: string }, reasons: string[], logId: string | null, details: string | null };
export type ProcessRow = { templateId: number, code: string, description: string, laborSeconds: number | null, machineSeconds: number | null, isQualityInspection: boolean };
export type Proposal = { operation: string, score: number | null, matched: number, columns: number, missing: string[] };
export type Provenance = { level: ProvenanceLevel, source: string };
export type ProvenanceLevel = "specified" | "assumed" | "site";
export type RowFilter = { severity: Severity | null, code: FindingCode | null, field: string | null, text: string | null };
export type Rule = { rule: "before", first: string, second: string, provenance: Provenance };
export type SampleView = { operation: string, file: string };
export type Severity = "error" | "warning" | "note";
export type Shape = { member: string, schema: string, fields: Field[], rules: Rule[] };
export type SheetView = { name: string, rows: number, columns: number, visible: boolean };
export type SignInChanged = { state: SignInState, problem: Problem | null };
export type SignInState = "waiting" | "done" | "failed" | "cancelled";
export type SignInView = { address: string };
export type Site = { name: string, kind: SiteKind, baseUrl: string, authUrl: string, clientId: string, redirectUris: string[], scope: string, timeZone: string, batchSize: number | null, proxy: string | null, caFile: string | null };
export type SiteChanged = null;
export type SiteKind = "practice" | "test" | "production";
export type SiteTest = { serviceReached: boolean, providerReached: boolean, tokenAccepted: boolean | null, problem: Problem | null };
export type SiteView = { site: Site, chosen: boolean, signedIn: boolean, hasSecret: boolean };
export type SubmissionChanged = SubmissionView;
export type SubmissionState = "running" | "paused" | "stopped" | "interrupted" | "finished";
export type SubmissionView = { id: number, operation: string, site: string, file: string, hash: string, sheet: string, started: string, ended: string | null, state: SubmissionState, total: number, counts: FateCounts, batches: number, requests: number, seconds: number | null, rate: number | null, remainingSeconds: number | null, recent: BatchView[], problem: Problem | null, waitingUntil: string | null };
export type TemplateView = { templateId: number, processes: ProcessRow[], problem: Problem | null };
export type VaultPlace = "keychain" | "memory";

/* Tauri Specta runtime */
function makeEvent<T>(name: string) {
	return {
		listen: (cb: __TAURI_EVENT.EventCallback<T>) => __TAURI_EVENT.listen(name, cb),
		once: (cb: __TAURI_EVENT.EventCallback<T>) => __TAURI_EVENT.once(name, cb),
		emit: (payload: T) => __TAURI_EVENT.emit(name, payload),
	};
}
