; What the installer says, in the four languages of Takt.

LangString IsRunning ${LANG_ENGLISH} "Takt is open (or its file $1 can't be replaced). Close it, also in the tray."
LangString IsRunning ${LANG_GERMAN} "Takt ist offen (oder seine Datei $1 lässt sich nicht ersetzen). Schließen Sie es, auch im Infobereich."
LangString IsRunning ${LANG_SPANISH} "Takt está abierto (o su archivo $1 no se puede reemplazar). Ciérrelo, también en el área de notificación."
LangString IsRunning ${LANG_PORTUGUESEBR} "O Takt está aberto (ou o arquivo $1 não pode ser substituído). Feche-o, também na área de notificação."

LangString NotWritten ${LANG_ENGLISH} "A file can't be written."
LangString NotWritten ${LANG_GERMAN} "Eine Datei kann nicht geschrieben werden."
LangString NotWritten ${LANG_SPANISH} "No se puede escribir un archivo."
LangString NotWritten ${LANG_PORTUGUESEBR} "Um arquivo não pode ser gravado."

LangString Description ${LANG_ENGLISH} "The planner's console"
LangString Description ${LANG_GERMAN} "Die Konsole für die Planung"
LangString Description ${LANG_SPANISH} "La consola de planificación"
LangString Description ${LANG_PORTUGUESEBR} "O console do planejamento"

LangString Spreadsheet ${LANG_ENGLISH} "Spreadsheet"
LangString Spreadsheet ${LANG_GERMAN} "Tabelle"
LangString Spreadsheet ${LANG_SPANISH} "Hoja de cálculo"
LangString Spreadsheet ${LANG_PORTUGUESEBR} "Planilha"

LangString OpenWith ${LANG_ENGLISH} "Open with Takt"
LangString OpenWith ${LANG_GERMAN} "Mit Takt öffnen"
LangString OpenWith ${LANG_SPANISH} "Abrir con Takt"
LangString OpenWith ${LANG_PORTUGUESEBR} "Abrir com o Takt"

LangString NoWebView ${LANG_ENGLISH} "The window of Takt needs the “Microsoft Edge WebView2 Runtime”, which is missing on this computer. Install it, or ask your IT for it. The command line, takt, works without it."
LangString NoWebView ${LANG_GERMAN} "Das Fenster von Takt braucht die „Microsoft Edge WebView2 Runtime“, die auf diesem Computer fehlt. Installieren Sie sie, oder bitten Sie Ihre IT darum. Die Befehlszeile, takt, kommt ohne sie aus."
LangString NoWebView ${LANG_SPANISH} "La ventana de Takt necesita «Microsoft Edge WebView2 Runtime», que falta en este equipo. Instálelo o pídaselo a su departamento de TI. La línea de comandos, takt, funciona sin él."
LangString NoWebView ${LANG_PORTUGUESEBR} "A janela do Takt precisa do “Microsoft Edge WebView2 Runtime”, que falta neste computador. Instale-o ou peça-o à sua TI. A linha de comando, takt, funciona sem ele."

LangString Data ${LANG_ENGLISH} "Takt's data"
LangString Data ${LANG_GERMAN} "Die Daten von Takt"
LangString Data ${LANG_SPANISH} "Los datos de Takt"
LangString Data ${LANG_PORTUGUESEBR} "Os dados do Takt"

LangString ProgramsText ${LANG_ENGLISH} "The programs and what Windows knows of them."
LangString ProgramsText ${LANG_GERMAN} "Die Programme und was Windows von ihnen weiß."
LangString ProgramsText ${LANG_SPANISH} "Los programas y lo que Windows sabe de ellos."
LangString ProgramsText ${LANG_PORTUGUESEBR} "Os programas e o que o Windows sabe deles."

LangString DataText ${LANG_ENGLISH} "History, sites, mappings and settings: %APPDATA%\Takt. This can't be undone."
LangString DataText ${LANG_GERMAN} "Verlauf, Standorte, Zuordnungen und Einstellungen: %APPDATA%\Takt. Das lässt sich nicht rückgängig machen."
LangString DataText ${LANG_SPANISH} "Historial, sitios, asignaciones y ajustes: %APPDATA%\Takt. Esto no se puede deshacer."
LangString DataText ${LANG_PORTUGUESEBR} "Histórico, unidades, mapeamentos e configurações: %APPDATA%\Takt. Isso não pode ser desfeito."
