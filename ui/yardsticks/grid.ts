import { AllCommunityModule, ModuleRegistry, createGrid } from 'ag-grid-community';

// What a table of the window is measured against: the library alone, all rows in its hands, nothing to ask for.
const rows = 100_000;
const columns = 12;

ModuleRegistry.registerModules([AllCommunityModule]);

const element = document.querySelector<HTMLDivElement>('#grid');
if (element) {
  element.style.height = '780px';
  createGrid(element, {
    columnDefs: Array.from({ length: columns }, (_, column) => ({ field: `c${column}`, headerName: `Column ${column}` })),
    defaultColDef: { sortable: true, resizable: true },
    rowData: Array.from({ length: rows }, (_row, row) =>
      Object.fromEntries(Array.from({ length: columns }, (_column, column) => [`c${column}`, `Value ${row}-${column}`])),
    ),
  });
}
