; The installer for Windows: for one person, without an administrator. `cargo xtask package nsis` gives it VERSION, SOURCE (the folder
; with what is installed) and OUT.
;
;   takt-VERSION-setup.exe [/S] [/D=C:\Folder]         /S asks nothing; /D comes last and has no quotes
;   uninstall.exe          [/S] [/REMOVE_DATA]         what Takt keeps stays, unless it is told otherwise
;
; Ends with 0, with 1 where it was cancelled, with 2 where a program of Takt runs or a file can't be written.

Unicode true
Target amd64-unicode
SetCompressor /SOLID lzma
RequestExecutionLevel user
ManifestDPIAware true

!include MUI2.nsh
!include FileFunc.nsh
!include LogicLib.nsh
!include WinMessages.nsh
!include Sections.nsh

!define NAME "Takt"
!define WINDOW "takt-desktop.exe"
!define APP_ID "app.takt.desktop"
!define CLASSES "Software\Classes"
!define PROGRAM_CLASS "Software\Classes\Applications\${WINDOW}"
!define FILE_CLASS "Takt.Spreadsheet"
!define CAPABILITIES "Software\Takt\Capabilities"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Takt"
!define WEBVIEW "Microsoft\EdgeUpdate\Clients\{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}"

Name "${NAME}"
OutFile "${OUT}"
InstallDir "$LOCALAPPDATA\Programs\Takt"
InstallDirRegKey HKCU "${UNINSTALL}" "InstallLocation"
BrandingText "${NAME} ${VERSION}"

VIProductVersion "${VERSION}.0"
VIAddVersionKey /LANG=0 "ProductName" "${NAME}"
VIAddVersionKey /LANG=0 "ProductVersion" "${VERSION}"
VIAddVersionKey /LANG=0 "FileVersion" "${VERSION}"
VIAddVersionKey /LANG=0 "FileDescription" "${NAME}"
VIAddVersionKey /LANG=0 "LegalCopyright" "MIT"

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_COMPONENTSPAGE_SMALLDESC
!define MUI_FINISHPAGE_RUN "$INSTDIR\${WINDOW}"

!insertmacro MUI_PAGE_WELCOME
!insertmacro MUI_PAGE_LICENSE "${SOURCE}\LICENSE.txt"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_COMPONENTS
!insertmacro MUI_UNPAGE_INSTFILES

; The first is for whoever has another language.
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "German"
!insertmacro MUI_LANGUAGE "Spanish"
!insertmacro MUI_LANGUAGE "PortugueseBR"
!include "texts.nsh"

; Windows closes no program for an installer, and a running one can't be replaced.
!macro StopWhereTaktRuns UN
Function ${UN}StopWhereTaktRuns
  again:
  StrCpy $1 ""
  ${For} $2 1 2
    StrCpy $3 "${WINDOW}"
    ${If} $2 = 2
      StrCpy $3 "takt.exe"
    ${EndIf}
    ${If} ${FileExists} "$INSTDIR\$3"
      ClearErrors
      FileOpen $0 "$INSTDIR\$3" a
      ${If} ${Errors}
        StrCpy $1 "$3"
      ${Else}
        FileClose $0
      ${EndIf}
    ${EndIf}
  ${Next}
  ${If} $1 != ""
    IfSilent +2
    MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(IsRunning)" IDRETRY again
    SetErrorLevel 2
    Abort "$(IsRunning)"
  ${EndIf}
FunctionEnd
!macroend
!insertmacro StopWhereTaktRuns ""
!insertmacro StopWhereTaktRuns "un."

; The person's PATH can be longer than a text of this installer, so it is only handled in memory of its own. In $R1 is then the
; opened key, in $R2 the value's type, in $R3 its place in memory, with room for the folder.
!macro ReadPath
  StrCpy $R2 2
  StrCpy $R4 0
  System::Call 'advapi32::RegOpenKeyExW(p 0x80000001, w "Environment", i 0, i 0x2001F, *p .R1) i .R0'
  System::Call 'advapi32::RegQueryValueExW(p R1, w "Path", p 0, *i .R5, p 0, *i .R4) i .R0'
  ${If} $R0 = 0
    StrCpy $R2 $R5
  ${Else}
    StrCpy $R4 0
  ${EndIf}
  IntOp $R5 $R4 + 4096
  System::Call 'kernel32::GlobalAlloc(i 0x40, p R5) p .R3'
  ${If} $R4 > 0
    System::Call 'advapi32::RegQueryValueExW(p R1, w "Path", p 0, p 0, p R3, *i R4R4) i .R0'
  ${EndIf}
!macroend

!macro WritePath
  System::Call 'kernel32::lstrlenW(p R3) i .R5'
  IntOp $R5 $R5 + 1
  IntOp $R5 $R5 * 2
  System::Call 'advapi32::RegSetValueExW(p R1, w "Path", i 0, i R2, p R3, i R5) i .R0'
  SendMessage ${HWND_BROADCAST} ${WM_WININICHANGE} 0 "STR:Environment" /TIMEOUT=2000
!macroend

!macro ClosePath
  System::Call 'kernel32::GlobalFree(p R3)'
  System::Call 'advapi32::RegCloseKey(p R1)'
!macroend

Function AddToPath
  !insertmacro ReadPath
  System::Call 'shlwapi::StrStrIW(p R3, w "$INSTDIR") p .R6'
  ${If} $R6 = 0
    System::Call 'kernel32::lstrlenW(p R3) i .R5'
    ${If} $R5 > 0
      System::Call 'kernel32::lstrcatW(p R3, w ";")'
    ${EndIf}
    System::Call 'kernel32::lstrcatW(p R3, w "$INSTDIR")'
    !insertmacro WritePath
  ${EndIf}
  !insertmacro ClosePath
FunctionEnd

Function un.RemoveFromPath
  !insertmacro ReadPath
  ; With the separator before it, else as the first of them with the one behind it, else alone.
  StrCpy $R7 ";$INSTDIR"
  System::Call 'shlwapi::StrStrIW(p R3, w R7) p .R6'
  ${If} $R6 = 0
    StrCpy $R7 "$INSTDIR;"
    System::Call 'shlwapi::StrStrIW(p R3, w R7) p .R6'
  ${EndIf}
  ${If} $R6 = 0
    StrCpy $R7 "$INSTDIR"
    System::Call 'shlwapi::StrStrIW(p R3, w R7) p .R6'
  ${EndIf}
  ${If} $R6 <> 0
    StrLen $R8 $R7
    IntOp $R8 $R8 * 2
    IntPtrOp $R8 $R6 + $R8
    System::Call 'kernel32::lstrlenW(p R8) i .R9'
    IntOp $R9 $R9 + 1
    IntOp $R9 $R9 * 2
    System::Call 'ntdll::RtlMoveMemory(p R6, p R8, p R9)'
    !insertmacro WritePath
  ${EndIf}
  !insertmacro ClosePath
FunctionEnd

; One more program for such files, beside the one that opens them.
!macro OfferFor EXTENSION
  WriteRegStr HKCU "${CLASSES}\.${EXTENSION}\OpenWithProgids" "${FILE_CLASS}" ""
  WriteRegStr HKCU "${PROGRAM_CLASS}\SupportedTypes" ".${EXTENSION}" ""
  WriteRegStr HKCU "${CAPABILITIES}\FileAssociations" ".${EXTENSION}" "${FILE_CLASS}"
!macroend

!macro NoLongerOfferFor EXTENSION
  DeleteRegValue HKCU "${CLASSES}\.${EXTENSION}\OpenWithProgids" "${FILE_CLASS}"
  DeleteRegKey /ifempty HKCU "${CLASSES}\.${EXTENSION}\OpenWithProgids"
  DeleteRegKey /ifempty HKCU "${CLASSES}\.${EXTENSION}"
!macroend

!macro ForEachExtension DO
  !insertmacro ${DO} "xlsx"
  !insertmacro ${DO} "xlsm"
  !insertmacro ${DO} "xlsb"
  !insertmacro ${DO} "xls"
  !insertmacro ${DO} "ods"
  !insertmacro ${DO} "csv"
!macroend

!macro TellExplorer
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
!macroend

Section "${NAME}" Programs
  SectionIn RO
  Call StopWhereTaktRuns
  ClearErrors
  SetOutPath "$INSTDIR"
  File /r "${SOURCE}\*.*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  ${If} ${Errors}
    SetErrorLevel 2
    Abort "$(NotWritten)"
  ${EndIf}
  CreateShortcut "$SMPROGRAMS\Takt.lnk" "$INSTDIR\${WINDOW}" "" "$INSTDIR\${WINDOW}" 0 SW_SHOWNORMAL "" "$(Description)"

  WriteRegStr HKCU "${PROGRAM_CLASS}" "FriendlyAppName" "${NAME}"
  WriteRegStr HKCU "${PROGRAM_CLASS}\shell\open\command" "" '"$INSTDIR\${WINDOW}" "%1"'
  WriteRegStr HKCU "${CLASSES}\${FILE_CLASS}" "" "$(Spreadsheet)"
  WriteRegStr HKCU "${CLASSES}\${FILE_CLASS}\DefaultIcon" "" "$INSTDIR\${WINDOW},0"
  WriteRegStr HKCU "${CLASSES}\${FILE_CLASS}\shell\open" "" "$(OpenWith)"
  WriteRegStr HKCU "${CLASSES}\${FILE_CLASS}\shell\open" "FriendlyAppName" "${NAME}"
  WriteRegStr HKCU "${CLASSES}\${FILE_CLASS}\shell\open\command" "" '"$INSTDIR\${WINDOW}" "%1"'
  !insertmacro ForEachExtension OfferFor
  WriteRegStr HKCU "${CAPABILITIES}" "ApplicationName" "${NAME}"
  WriteRegStr HKCU "${CAPABILITIES}" "ApplicationDescription" "$(Description)"
  WriteRegStr HKCU "${CAPABILITIES}\URLAssociations" "takt" "takt"
  WriteRegStr HKCU "Software\RegisteredApplications" "${NAME}" "${CAPABILITIES}"

  WriteRegStr HKCU "${CLASSES}\takt" "" "URL:${NAME}"
  WriteRegStr HKCU "${CLASSES}\takt" "URL Protocol" ""
  WriteRegStr HKCU "${CLASSES}\takt\DefaultIcon" "" "$INSTDIR\${WINDOW},0"
  WriteRegStr HKCU "${CLASSES}\takt\shell\open\command" "" '"$INSTDIR\${WINDOW}" "%1"'

  ; Under this name Windows shows notifications.
  WriteRegStr HKCU "${CLASSES}\AppUserModelId\${APP_ID}" "DisplayName" "${NAME}"
  WriteRegStr HKCU "${CLASSES}\AppUserModelId\${APP_ID}" "IconUri" "$INSTDIR\takt.png"

  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "${NAME}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "${NAME}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\${WINDOW}"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" "$0"

  Call AddToPath
  !insertmacro TellExplorer
  Call SayWhereWebViewIsMissing
SectionEnd

; The window needs it; the command line doesn't.
Function SayWhereWebViewIsMissing
  SetRegView 32
  ReadRegStr $0 HKLM "Software\${WEBVIEW}" "pv"
  ${If} $0 == ""
    ReadRegStr $0 HKCU "Software\${WEBVIEW}" "pv"
  ${EndIf}
  SetRegView 64
  ${If} $0 == ""
    DetailPrint "$(NoWebView)"
    IfSilent +2
    MessageBox MB_OK|MB_ICONINFORMATION "$(NoWebView)"
  ${EndIf}
FunctionEnd

Section "un.${NAME}" UnPrograms
  SectionIn RO
  Call un.StopWhereTaktRuns
  Call un.RemoveFromPath
  !insertmacro ForEachExtension NoLongerOfferFor
  DeleteRegKey HKCU "${PROGRAM_CLASS}"
  DeleteRegKey HKCU "${CLASSES}\${FILE_CLASS}"
  DeleteRegKey HKCU "${CLASSES}\takt"
  DeleteRegKey HKCU "${CLASSES}\AppUserModelId\${APP_ID}"
  DeleteRegKey HKCU "Software\Takt"
  DeleteRegValue HKCU "Software\RegisteredApplications" "${NAME}"
  DeleteRegKey HKCU "${UNINSTALL}"
  Delete "$SMPROGRAMS\Takt.lnk"
  !include "${SOURCE}.remove.nsh"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  !insertmacro TellExplorer
SectionEnd

Section /o "un.$(Data)" UnData
  RMDir /r "$APPDATA\Takt"
  RMDir /r "$LOCALAPPDATA\${APP_ID}"
SectionEnd

!insertmacro MUI_UNFUNCTION_DESCRIPTION_BEGIN
  !insertmacro MUI_DESCRIPTION_TEXT ${UnPrograms} "$(ProgramsText)"
  !insertmacro MUI_DESCRIPTION_TEXT ${UnData} "$(DataText)"
!insertmacro MUI_UNFUNCTION_DESCRIPTION_END

Function .onInit
  SetRegView 64
FunctionEnd

Function un.onInit
  SetRegView 64
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/REMOVE_DATA" $1
  ${IfNot} ${Errors}
    !insertmacro SelectSection ${UnData}
  ${EndIf}
FunctionEnd
